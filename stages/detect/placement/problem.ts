import type { PriceRecipe } from "../../../schemas/recipe/detect.ts";

/** A trajectory as placement sees it: numbers alone. Steps are indices 0 <= t < T; a cut c, 0 < c < T, lies before step index c. */
export interface Problem {
  /** Prefix sums of chat tokens, length T + 1: `upTo[t]` = tokens of steps [0, t). */
  readonly upTo: readonly number[];
  /** Chat tokens of system prompt and task, which every call begins with; and of the header that ends every prompt. */
  readonly headTokens: number;
  readonly openingTokens: number;
  /** Tokens of the reply in each step, length T. */
  readonly replies: readonly number[];
  /** Prefix sums of what steps take in a condenser request, length T + 1; and what such a request takes without steps and memory. */
  readonly requestUpTo: readonly number[];
  readonly requestTokens: number;
  /** Score of the cut before step index t, 0..1, length T; 0 where no signal speaks. */
  readonly scores: readonly number[];
  /** m(a) of each cut (DESIGN 5), length T: a function of the cut alone, or the costs of two neighbours would not add up. */
  readonly memoryTokens: readonly number[];
  /** What a memory may have at most; and a context call with its longest thought, with the wrapping around a memory. */
  readonly memoryCapTokens: number;
  readonly callCapTokens: number;
  /** The same with a thought of usual length, for the price. */
  readonly callTokens: number;
  readonly limits: Limits;
  readonly terms: Terms;
}

export interface Limits {
  readonly windowTokens: number;
  /** Kept free for the reply of every model call. */
  readonly replyTokens: number;
  /** k: steps that stay verbatim behind a memory. */
  readonly keepSteps: number;
  readonly minGapSteps: number;
  readonly minFoldTokens: number;
  /** null: no bound. */
  readonly maxCalls: number | null;
}

/** The objective: sum of (score - callPrice) - costWeight x cost / cost without any call. */
export interface Terms {
  readonly callPrice: number;
  readonly costWeight: number;
  readonly prices: PriceRecipe;
}

export const stepCount = (problem: Problem): number => problem.replies.length;

/** Steps [0, keptFrom) are behind the memory of a call at `cut`; 0 stands for the start, where nothing is folded. */
export const keptFrom = (problem: Problem, cut: number): number => (cut === 0 ? 0 : cut - problem.limits.keepSteps);

export const spanOf = (sums: readonly number[], start: number, end: number): number => (sums[end] ?? 0) - (sums[start] ?? 0);

/** Legal cuts in order: every fold and the last segment have at least one step. */
export const legalCuts = (problem: Problem): number[] =>
  Array.from(
    { length: Math.max(0, stepCount(problem) - problem.limits.keepSteps - 1) },
    (_, index) => problem.limits.keepSteps + 1 + index,
  );
