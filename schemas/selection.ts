import { z } from "zod";

const Count = z.int().nonnegative();

/** Rules over the whole set, in the order in which they are asked; the first that leaves a trajectory out is its reason. */
export const SetRule = z.enum(["near-duplicate", "per-instance", "per-repository", "without-calls", "mix", "target-size"]);
export type SetRule = z.infer<typeof SetRule>;

/** What decides who comes first, the most important first; see `stages/filter/selection/standing.ts`. */
export const Standing = z.strictObject({
  resolved: z.boolean().nullable(),
  /** Context calls that its kept segments show; 0: none, or no segment is kept. */
  contextCalls: Count,
  /** Filters that fail, those that only flag included. */
  failedFilters: Count,
  /** Share of what the checks looked at in its memories that they found wrong, 0..1, rounded to 0.0001. */
  findingShare: z.number().min(0).max(1),
  /** Drawn by the run's seed and the id, 0 to 2^32 - 1: decides among equals. */
  draw: Count,
});
export type Standing = z.infer<typeof Standing>;

/** Why a trajectory is left out of the set. */
export const LeftOut = z.strictObject({
  rule: SetRule,
  /** near-duplicate: the kept trajectory; per-instance, per-repository, mix: the instance, repository or source; else null. */
  of: z.string().nullable(),
  /** near-duplicate: the estimated similarity; else null. */
  value: z.number().nullable(),
  /** The recipe's number that it breaks; for a mix the share of its source, for `target-size` trajectories or samples. */
  limit: z.number(),
});
export type LeftOut = z.infer<typeof LeftOut>;

/** What the set-level pass says of one trajectory. One of which the verdict keeps nothing was no candidate, and has no row. */
export const Selection = z.strictObject({ standing: Standing, leftOut: LeftOut.nullable() });
export type Selection = z.infer<typeof Selection>;
