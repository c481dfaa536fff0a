/** A call as the persona writes it: `arguments` is JSON text of an object. */
export interface WrittenCall {
  readonly name: string;
  readonly arguments: string;
}

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
  read(text: string): { readonly thought: string; readonly calls: readonly WrittenCall[] };
}
