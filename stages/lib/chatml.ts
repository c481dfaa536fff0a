import type { ChatFormat } from "../../schemas/chat-format.ts";
import type { Turn } from "../../schemas/sample.ts";
import { defaultSystem } from "./call-styles/hermes.ts";
import { controlTexts } from "./control-tokens.ts";

const chatmlHeader = (role: string): string => `<|im_start|>${role}\n`;
const chatmlFooter = "<|im_end|>\n";

/** Qwen2.5's own: what is built in. Source: chat_template of its tokenizer_config.json. */
export const chatml: ChatFormat = {
  headers: { system: chatmlHeader("system"), user: chatmlHeader("user"), assistant: chatmlHeader("assistant") },
  footers: { system: chatmlFooter, user: chatmlFooter, assistant: chatmlFooter },
  end: "<|im_end|>",
  lastHeader: chatmlHeader("assistant"),
  defaultSystem,
  controlTexts,
};

/** Header of a turn; the reply that a model writes starts right behind `header("assistant")`. */
export const header = (role: Turn["role"], { headers }: ChatFormat = chatml): string => headers[role];
export const footer = chatml.end;

type Message = Pick<Turn, "role" | "content">;

/** Turns as the chat template sees them: it puts its default system prompt before a conversation that has none. */
export const withSystem = <T extends Message>(
  turns: readonly T[],
  { defaultSystem: content }: ChatFormat = chatml,
): (T | { role: "system"; content: string; train: false; step: -1 })[] =>
  turns[0]?.role === "system" ? [...turns] : [{ role: "system", content, train: false, step: -1 }, ...turns];

/** One message as the chat template writes it, with its closing newline. */
export const chatMessage = ({ role, content }: Message, { headers, footers }: ChatFormat = chatml): string =>
  `${headers[role]}${content}${footers[role]}`;

/** The header of a turn at its place: the last one of the agent may have one of its own. */
export const headerAt = (turns: readonly Message[], index: number, { headers, lastHeader }: ChatFormat): string => {
  const role = turns[index]?.role ?? "user";
  return role === "assistant" && index === turns.length - 1 ? lastHeader : headers[role];
};

/** The whole text the chat template makes of flat messages. */
export function chatText(turns: readonly Message[], format: ChatFormat = chatml): string {
  const all = withSystem(turns, format);
  return all.map(({ role, content }, index) => `${headerAt(all, index, format)}${content}${format.footers[role]}`).join("");
}
