import type { RenderedStep } from "../render.ts";

/** What a check sees of one context call. */
export interface CheckView {
  /** The task message: Q of equation 1. */
  readonly task: string;
  /** The memory that this one replaces; null for the first. */
  readonly previousMemory: string | null;
  /** The steps that the memory replaces. */
  readonly fold: readonly RenderedStep[];
  /** The steps that stay verbatim behind it. */
  readonly recent: readonly RenderedStep[];
  /** The steps after the cut. null while the memory is being written: nobody may look ahead then, and checks that would say nothing. */
  readonly later: readonly RenderedStep[] | null;
  readonly memory: string;
}

/** Something wrong with a memory: which words, and why, so that a person can look it up. */
export interface Finding {
  /** The offending words, as they stand in the memory (or, for what it lacks, in the steps). */
  readonly words: string;
  readonly why: string;
}

/** What one check has to say: how many claims, entities or constraints it looked at, and what is wrong with them. */
export interface CheckResult {
  readonly looked: number;
  readonly findings: readonly Finding[];
}

/** Deterministic, total, linear in its input, and never changes it. */
export type Check = (view: CheckView) => CheckResult;
