import type { ChatFormat, CountTokens } from "../../schemas/chat-format.ts";
import type { Turn } from "../../schemas/sample.ts";
import { chatMessage, chatml, withSystem } from "./chatml.ts";
import type { Rendered } from "./render.ts";

export type { CountTokens };

/** How the messages are written whose tokens are counted. */
export const formatOf = ({ chat }: CountTokens): ChatFormat => chat ?? chatml;

/**
 * Counts each text once and remembers it for as long as the function lives: samples of one trajectory repeat each other's messages, and
 * finding a text again takes a twentieth of counting it. One per trajectory, so that memory stays bounded.
 */
export function countOnce(count: CountTokens): CountTokens {
  const known = new Map<string, number>();
  const once = (text: string): number => {
    const before = known.get(text);
    if (before !== undefined) return before;
    const tokens = count(text);
    known.set(text, tokens);
    return tokens;
  };
  return Object.assign(once, { chat: formatOf(count) });
}

/**
 * Exact token counts of chat messages. Control tokens are hard boundaries of the tokenizer, so counts of whole messages add up
 * (dependencies.md 1 (c)); `<|im_start|>role\n` and content must be counted together, and are.
 */
export const messageTokens = (message: Pick<Turn, "role" | "content">, count: CountTokens): number =>
  count(chatMessage(message, formatOf(count)));

/** Chat tokens of a whole conversation, the default system prompt included where it has none. */
export const conversationTokens = (turns: readonly Turn[], count: CountTokens): number =>
  withSystem(turns, formatOf(count)).reduce((sum, message) => sum + messageTokens(message, count), 0);

/** Tokens of `<|im_start|>assistant\n`, which ends every prompt. */
export const openingTokens = (count: CountTokens): number => count(formatOf(count).lastHeader);

/** What the last agent turn has more of a header than the others: 0 but for templates that say something there. */
export const lastHeaderTokens = (count: CountTokens): number => openingTokens(count) - count(formatOf(count).headers.assistant);

/** Tokens of the reply in an assistant message of `tokens`: without the header before and the newline after it. */
export const replyTokens = (tokens: number, count: CountTokens): number => {
  const { headers, footers, end } = formatOf(count);
  return tokens - count(headers.assistant) - count(footers.assistant.slice(end.length));
};

/** Token sizes of a rendered trajectory, per message. */
export interface Sizes {
  /** System and task message. */
  readonly head: number;
  readonly opening: number;
  readonly assistant: readonly number[];
  /** Results and feedback after each step; 0 where the last step has none. */
  readonly user: readonly number[];
  /** Prefix sums of `assistant + user`: `upTo[t]` = tokens of steps [0, t). */
  readonly upTo: readonly number[];
}

export function measureSizes(rendered: Rendered, count: CountTokens): Sizes {
  const head =
    messageTokens({ role: "system", content: rendered.system }, count) + messageTokens({ role: "user", content: rendered.prompt }, count);
  const assistant = rendered.steps.map((step) => messageTokens({ role: "assistant", content: step.assistant }, count));
  const user = rendered.steps.map((step) => (step.user === null ? 0 : messageTokens({ role: "user", content: step.user }, count)));
  const upTo = [0];
  for (const [index, tokens] of assistant.entries()) upTo.push((upTo.at(-1) ?? 0) + tokens + (user[index] ?? 0));
  return { head, opening: openingTokens(count), assistant, user, upTo };
}

/** Tokens of steps [start, end). */
export const spanTokens = (sizes: Sizes, start: number, end: number): number => (sizes.upTo[end] ?? 0) - (sizes.upTo[start] ?? 0);
