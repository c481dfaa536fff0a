/** A call as the persona writes it: `arguments` is JSON text of an object. */
export interface WrittenCall {
  readonly name: string;
  readonly arguments: string;
}

export interface WrittenTurn {
  readonly thought: string;
  readonly calls: readonly WrittenCall[];
}

/** `problem`: what was expected and what came, in words for the model that has to write the turn again. */
export type ReadTurn = WrittenTurn | { readonly problem: string };

/**
 * How a model's calls, their results and the tool schemas are written as text. `read(assistant(thought, calls))` gives both back,
 * provided neither holds control-token text.
 */
export interface CallStyle {
  /** System text with the tools described. `tools`: raw JSON text each. */
  system(prompt: string | null, tools: readonly string[]): string;
  assistant(thought: string, calls: readonly WrittenCall[]): string;
  /** One user turn from tool results and the feedback after them, in that order. */
  user(results: readonly string[], feedback: readonly string[]): string;
  /** For text that `assistant` wrote; throws a `SyntaxError` on any other that holds a call. */
  read(text: string): WrittenTurn;
  /**
   * For text that a model wrote: reads what `assistant` writes just as `read` does, and beyond it what models do without harm. Closing tags
   * may lack at the end, since stop sequences take them. Calls that follow each other directly are all taken; what comes after the last of
   * them is left out, further calls included, because the model wrote it without having seen a result. No call at all is no problem, and
   * a call of a function that nobody offered is a call. Not for a reply that the token limit cut off: a call may look whole there
   * and lack its last parameters. `tools`: as for `system`.
   */
  readReply(text: string, tools: readonly string[]): ReadTurn;
}
