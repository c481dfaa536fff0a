import { z } from "zod";
import { Funnel } from "./funnel.ts";
import { MixtureName } from "./recipe/export.ts";
import { SampleKind } from "./sample.ts";

const Amount = z.number().nonnegative();

/** null: nothing was counted. */
export const Spread = z.strictObject({ mean: Amount, median: Amount, max: Amount }).nullable();
export type Spread = z.infer<typeof Spread>;

/** Means over context calls; null without a call. `ratio` is the mean of each call's after / before, 0..1. */
export const Compression = z.strictObject({ tokensBefore: Amount.nullable(), tokensAfter: Amount.nullable(), ratio: Amount.nullable() });
export type Compression = z.infer<typeof Compression>;

/** Table 1 of the paper beside the same numbers of a run (`export/stats.json`). */
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
  /** Samples in each mixture that configs are written for, in the recipe's order; null: there is no dataset yet. */
  mixtures: z
    .array(
      z.strictObject({
        name: MixtureName,
        samples: z.array(z.strictObject({ kind: SampleKind, train: z.int().nonnegative(), validation: z.int().nonnegative() })),
      }),
    )
    .nullable(),
  /** What judging let through; null: nothing is judged yet. */
  funnel: Funnel.nullable(),
});
export type Stats = z.infer<typeof Stats>;

/** Context calls at one place of the chain, where the first folds into no memory and each further one into that of the one before. */
const Hop = z.strictObject({
  hop: z.enum(["1", "2", "3", "4+"]),
  calls: z.int().nonnegative(),
  /** Memory / (previous call and memory + fold); rounded to 0.0001. */
  foldRatio: Spread,
  /** Of the memory text. */
  memoryTokens: Spread,
  /** Steps since the call before, or since the start. */
  gapSteps: Spread,
});

/** The memory chain: how often a trajectory folds, what each fold leaves, and what the placement is worth. From metrics and detections. */
export const ChainStats = z.strictObject({
  /** Context calls per trajectory, those without one included; and how many trajectories have so many. */
  blocks: Spread,
  chainLengths: z.record(z.string(), z.int().positive()),
  hops: z.array(Hop).length(4),
  gapSteps: Spread,
  /** What context calls save of the cost without any, by the prices of recipe `detect`; negative: they cost more. Trajectories with a call. */
  savedShare: z.strictObject({ mean: z.number(), median: z.number(), max: z.number() }).nullable(),
  /** How far the best rule that sees the past alone stays behind the optimum, in units of the objective. */
  regret: Spread,
  /** Trajectories for which no such rule keeps within the window as well. */
  regretUnknown: z.int().nonnegative(),
  /** Why context calls are where they are. */
  reasons: z.strictObject({ signals: z.int().nonnegative(), window: z.int().nonnegative(), cost: z.int().nonnegative() }),
});
export type ChainStats = z.infer<typeof ChainStats>;

/** `stats --json`: a contract (DESIGN 6). `export/stats.json` has no chain: a dataset knows nothing of detections. */
export const StatsAnswer = Stats.extend({ chain: ChainStats });
export type StatsAnswer = z.infer<typeof StatsAnswer>;
