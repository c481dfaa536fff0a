import type { Step } from "../../../schemas/trajectory.ts";

/** What a signal at a cut may see: the steps before it and their sizes, never what comes after. */
export interface Past {
  /** Steps [0, cut). */
  readonly steps: readonly Step[];
  /** Chat tokens of each of these steps, results and feedback included; same length. */
  readonly stepTokens: readonly number[];
  /** Chat tokens of system prompt and task. */
  readonly headTokens: number;
  /** The model's window, tokens. */
  readonly windowTokens: number;
}

/**
 * A reason to call `context` at this cut: a score in 0..1 and evidence that a person can check, one line each.
 * Deterministic, total, never changes its input; appending steps changes no earlier score.
 */
export type Signal = (past: Past) => { readonly score: number; readonly evidence: readonly string[] };
