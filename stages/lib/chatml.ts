import type { Turn } from "../../schemas/sample.ts";
import { defaultSystem } from "./call-styles/hermes.ts";

/** Header of a turn; the reply that a model writes starts right behind `header("assistant")`. */
export const header = (role: string): string => `<|im_start|>${role}\n`;
export const footer = "<|im_end|>";

type Message = Pick<Turn, "role" | "content">;

/** Turns as the chat template sees them: it puts its default system prompt before a conversation that has none. */
export const withSystem = <T extends Message>(turns: readonly T[]): (T | { role: "system"; content: string; train: false; step: -1 })[] =>
  turns[0]?.role === "system" ? [...turns] : [{ role: "system", content: defaultSystem, train: false, step: -1 }, ...turns];

/** One message as the Qwen2.5 chat template writes it, with its closing newline. */
export const chatMessage = (message: Message): string => `${header(message.role)}${message.content}${footer}\n`;

/** The whole text the Qwen2.5 chat template makes of flat messages. */
export const chatText = (turns: readonly Message[]): string => withSystem(turns).map(chatMessage).join("");
