import type { StepFacts } from "../facts.ts";

/** What does not change during a run. */
export interface Setting {
  /** Chat tokens of system prompt and task. */
  readonly headTokens: number;
  /** The model's window, tokens. */
  readonly windowTokens: number;
}

/** A score in 0..1 and evidence that a person can check, one line each; without evidence exactly when the score is 0. */
export interface Said {
  readonly score: number;
  readonly evidence: readonly string[];
}
export const nothing: Said = { score: 0, evidence: [] };

/** The three families of CAT 2.4 (1): context expansion, structural boundaries, error correction. */
export type Family = "growth" | "boundary" | "error-correction";

/**
 * Sees the past only: `watch` begins a run and returns what is called with each step in order; the answer is for the cut right after that
 * step. It is never handed a later step, so it cannot look ahead.
 */
export interface PastSignal {
  readonly family: Family;
  readonly sees: "past";
  watch(setting: Setting): (step: StepFacts) => Said;
}

/**
 * Needs hindsight: `survey` gets the whole run and returns what is asked for each cut (steps [0, cut) lie before it). It reads what the
 * agent chose to do next, which the agent knew when it chose; the words of the context call must hold without it.
 */
export interface WholeSignal {
  readonly family: Family;
  readonly sees: "whole";
  survey(setting: Setting, steps: readonly StepFacts[]): (cut: number) => Said;
}

/** A reason to call `context`. Deterministic, total, changes nothing it is given, and about as fast as reading the steps once. */
export type Signal = PastSignal | WholeSignal;
