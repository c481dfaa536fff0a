/** The statement by which the template writes a whole message without tool calls. */
const wholeMessage = /\{\{- '<\|im_start\|>' \+ message\.role \+ '\\n' \+ message\.content \+ '<\|im_end\|>' \+ '\\n' \}\}/g;

/** One line and the tags without dashes: trainers look for `{% generation %}` by its letters, and no blank can get between. */
const gated =
  "{{- '<|im_start|>' + message.role + '\\n' }}{% generation %}{{- message.content + '<|im_end|>' }}{% endgeneration %}{{- '\\n' }}";

/**
 * The model's chat template with agent turns marked for training when their message says `train`, as TRL's `assistant_only_loss` asks.
 * The text it writes stays the same. It serves flat messages: turns with structured `tool_calls` are never marked.
 */
export function gatedTemplate(official: string): string {
  const found = official.match(wholeMessage) ?? [];
  if (found.length !== 1)
    throw new Error(`expected the statement that writes a message once in the chat template, found it ${found.length} times`);
  return official.replace(
    wholeMessage,
    (statement) => `{%- if message.role == "assistant" and message.train %}${gated}{%- else %}${statement}{%- endif %}`,
  );
}
