import type { Turn } from "./sample.ts";

type Role = Turn["role"];

/**
 * How a model's chat template writes flat messages (system first, then user and assistant in turn): `headers[role] + content +
 * footers[role]` each, one after the other. Control tokens stand at every seam, so that messages can be tokenized apart.
 */
export interface ChatFormat {
  /** That of the system message begins with whatever opens the text. */
  readonly headers: Readonly<Record<Role, string>>;
  /** That of the agent begins with `end`. */
  readonly footers: Readonly<Record<Role, string>>;
  /** Ends a reply, and is learned with it: `<|im_end|>`, `<|eot_id|>`, `</s>`. */
  readonly end: string;
  /** Header of the last agent turn: Qwen3 says there that nothing was thought. Mostly `headers.assistant`. */
  readonly lastHeader: string;
  /** What the template says when a conversation has no system message; empty: nothing. */
  readonly defaultSystem: string;
  /** Text that the tokenizer turns into one token wherever it stands. */
  readonly controlTexts: readonly string[];
}

/** Exact tokens of a text; `chat`: how the same model's messages are written, left out: as Qwen2.5's. */
export interface CountTokens {
  (text: string): number;
  readonly chat?: ChatFormat;
}
