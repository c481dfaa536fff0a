import { Template } from "@huggingface/jinja";
import type { ChatFormat } from "../../schemas/chat-format.ts";
import { Fault } from "../../schemas/fault.ts";

export interface FlatMessage {
  readonly role: "system" | "user" | "assistant";
  readonly content: string;
}
export type RenderChat = (messages: readonly FlatMessage[], opening?: boolean) => string;

/** What a template may use beside the messages. */
export interface TemplateTokens {
  readonly bos: string;
  readonly eos: string;
}

const refused = (where: string, why: string): Fault =>
  new Fault(
    "RECIPE_INVALID",
    "stop",
    `expected in ${where} a chat template that can be trained on, but ${why}; name another with tokenizer.template`,
  );

/** The template as a function; `opening`: with the header of the reply that is asked for. Throws a `Fault` where it does not parse. */
export function chatRenderer(template: string, { bos, eos }: TemplateTokens, where: string): RenderChat {
  if (template.includes("strftime_now"))
    throw refused(where, "it writes the date of the day, so that no two days give the same text; copy it without strftime_now");
  let parsed: Template;
  try {
    parsed = new Template(template);
  } catch (cause) {
    throw refused(where, `it does not parse (${cause instanceof Error ? cause.message : String(cause)})`);
  }
  return (messages, opening = false) =>
    parsed.render({ messages: [...messages], tools: null, add_generation_prompt: opening, bos_token: bos, eos_token: eos });
}

/** Words that no template holds. */
const words = {
  system: "Catgenprobesystem",
  users: ["Catgenprobeone", "Catgenprobethree"],
  agents: ["Catgenprobetwo", "Catgenprobefour"],
} as const;
const conversation: readonly FlatMessage[] = [
  { role: "system", content: words.system },
  { role: "user", content: words.users[0] },
  { role: "assistant", content: words.agents[0] },
  { role: "user", content: words.users[1] },
  { role: "assistant", content: words.agents[1] },
];

/** Text before, between and after the words; null unless each is there once and in order. */
function seamsOf(text: string, contents: readonly string[]): string[] | null {
  const seams: string[] = [];
  let at = 0;
  for (const content of contents) {
    const found = text.indexOf(content, at);
    if (found < 0 || text.split(content).length !== 2) return null;
    seams.push(text.slice(at, found));
    at = found + content.length;
  }
  return [...seams, text.slice(at)];
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/**
 * How the template writes flat messages, found out by letting it write some. It must write each message once, in order and whatever comes
 * later, with a control token at every seam; else a `Fault` says which of these it does not do.
 */
export function chatFormatOf(render: RenderChat, controlTexts: readonly string[], where: string): ChatFormat {
  const attempt = (messages: readonly FlatMessage[], what: string): string => {
    try {
      return render(messages);
    } catch (cause) {
      throw refused(where, `it refuses ${what} (${cause instanceof Error ? cause.message : String(cause)})`);
    }
  };
  const seams = seamsOf(
    attempt(conversation, "a system message with two turns after it"),
    conversation.map(({ content }) => content),
  );
  if (seams === null) throw refused(where, "it does not write every message once and in order");
  const control = new RegExp(
    [...controlTexts]
      .sort((a, b) => b.length - a.length)
      .map(escaped)
      .join("|") || "(?!)",
    "g",
  );
  /** A seam belongs to the turn before up to its first control token and the white space behind it. */
  const split = (seam: string, between: string): { first: string; tail: string; head: string } => {
    const [found, next] = [...seam.matchAll(control)];
    if (found === undefined) throw refused(where, `it has no control token between ${between}`);
    const behind = found.index + found[0].length;
    const blanks = /^\s*/.exec(seam.slice(behind, next?.index))?.[0].length ?? 0;
    return { first: seam.slice(0, behind), tail: seam.slice(0, behind + blanks), head: seam.slice(behind + blanks) };
  };
  const [begin = "", afterSystem = "", afterUser = "", afterAgent = "", lastUser = "", finish = ""] = seams;
  const system = split(afterSystem, "the system message and the task");
  const user = split(afterUser, "the task and the first turn");
  const agent = split(afterAgent, "a turn and its result");
  const last = split(lastUser, "a result and the last turn");
  const same = system.head === agent.head && user.tail === last.tail && agent.tail === finish;
  if (!same) throw refused(where, "it writes a turn otherwise when others come after it");
  if (!controlTexts.includes(agent.first)) throw refused(where, "it ends a reply with no control token of its own");
  const format: ChatFormat = {
    headers: { system: begin, user: system.head, assistant: user.head },
    footers: { system: system.tail, user: user.tail, assistant: agent.tail },
    end: agent.first,
    lastHeader: last.head,
    defaultSystem: "",
    controlTexts,
  };
  const short = attempt(conversation.slice(0, 3), "one turn");
  if (!short.startsWith(begin + words.system + system.tail + system.head))
    throw refused(where, "it writes earlier messages otherwise when more come");
  return {
    ...format,
    defaultSystem: defaultSystemOf(attempt(conversation.slice(1, 3), "a conversation without a system message"), format),
  };
}

/** What stands in the system message's place where nobody wrote one; a template that puts nothing there gets a plain sentence. */
function defaultSystemOf(text: string, { headers, footers }: ChatFormat): string {
  const end = text.indexOf(footers.system + headers.user + words.users[0]);
  const isThere = text.startsWith(headers.system) && end >= headers.system.length;
  return (isThere ? text.slice(headers.system.length, end) : "") || "You are a helpful assistant.";
}
