import { z } from "zod";
import { Funnel } from "./funnel.ts";

const Amount = z.number().nonnegative();

/** null: nothing was counted. */
export const Spread = z.strictObject({ mean: Amount, median: Amount, max: Amount }).nullable();
export type Spread = z.infer<typeof Spread>;

/** Means over context calls; null without a call. `ratio` is the mean of each call's after / before, 0..1. */
export const Compression = z.strictObject({ tokensBefore: Amount.nullable(), tokensAfter: Amount.nullable(), ratio: Amount.nullable() });
export type Compression = z.infer<typeof Compression>;

/** Table 1 of the paper beside the same numbers of a run (`stats --json`, `export/stats.json`). */
export const Stats = z.strictObject({
  /** The paper does not say which of our two compressions it means, nor whether its steps count context calls. */
  paper: z.strictObject({ steps: Spread, tokensPerStep: Spread, contextCalls: Spread, compression: Compression }),
  run: z.strictObject({
    trajectories: z.int().nonnegative(),
    /** Steps of the base trajectory. */
    steps: Spread,
    /** Steps and context calls together. */
    stepsWithCalls: Spread,
    /** Prompt tokens of each model call after replacement, over all calls of all trajectories. */
    tokensPerStep: Spread,
    /** Per trajectory. */
    contextCalls: Spread,
    /** The memory against what it replaces: the previous call and memory, and the folded steps. */
    fold: Compression,
    /** The whole window after a call against the window before it. */
    wholeWindow: Compression,
  }),
  /** What judging let through; null: nothing is judged yet. */
  funnel: Funnel.nullable(),
});
export type Stats = z.infer<typeof Stats>;
