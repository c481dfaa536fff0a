import type { ChatFormat } from "../../../schemas/chat-format.ts";

/** Text as a Jinja string. */
const quoted = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'").replaceAll("\n", "\\n")}'`;

/** What the format says, as a template: for flat messages that open with a system message. */
function formatTemplate({ headers, footers, end, lastHeader }: ChatFormat): string {
  const plain = (role: "system" | "user"): string => `{{- ${quoted(headers[role])} + message.content + ${quoted(footers[role])} }}`;
  const reply = `message.content + ${quoted(end)}`;
  return [
    "{%- for message in messages %}",
    `{%- if message.role == "system" %}${plain("system")}`,
    `{%- elif message.role == "user" %}${plain("user")}`,
    `{%- else %}{%- if loop.last %}{{- ${quoted(lastHeader)} }}{%- else %}{{- ${quoted(headers.assistant)} }}{%- endif %}`,
    `{%- if message.train %}{% generation %}{{- ${reply} }}{% endgeneration %}{%- else %}{{- ${reply} }}{%- endif %}`,
    `{{- ${quoted(footers.assistant.slice(end.length))} }}`,
    "{%- endif %}",
    "{%- endfor %}",
  ].join("");
}

/** The statement by which the template writes a whole message without tool calls. */
const wholeMessage = /\{\{- '<\|im_start\|>' \+ message\.role \+ '\\n' \+ message\.content \+ '<\|im_end\|>' \+ '\\n' \}\}/g;

/** One line and the tags without dashes: trainers look for `{% generation %}` by its letters, and no blank can get between. */
const gated =
  "{{- '<|im_start|>' + message.role + '\\n' }}{% generation %}{{- message.content + '<|im_end|>' }}{% endgeneration %}{{- '\\n' }}";

/**
 * The model's chat template with agent turns marked for training when their message says `train`, as TRL's `assistant_only_loss` asks.
 * The text it writes stays the same. It serves flat messages: turns with structured `tool_calls` are never marked. A template that does not
 * write messages as Qwen2.5's does is written anew from what it does with flat messages.
 */
export function gatedTemplate(official: string, chat?: ChatFormat): string {
  const found = official.match(wholeMessage) ?? [];
  if (found.length !== 1 && chat !== undefined) return formatTemplate(chat);
  if (found.length !== 1)
    throw new Error(`expected the statement that writes a message once in the chat template, found it ${found.length} times`);
  return official.replace(
    wholeMessage,
    (statement) => `{%- if message.role == "assistant" and message.train %}${gated}{%- else %}${statement}{%- endif %}`,
  );
}
