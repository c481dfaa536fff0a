import type { BlockMetrics, CheckCounts, Metrics, SampleMetrics, TrajectoryMetrics } from "../../../schemas/metrics.ts";
import type { ThresholdRecipe } from "../../../schemas/recipe/filter.ts";
import type { Failure } from "../../../schemas/verdict.ts";

/** All thresholds a filter may hold against a metric; null in the recipe = off. */
export interface Limits extends ThresholdRecipe {
  readonly windowTokens: number;
}

/** What was seen and the limit it breaks; null: passes, or the limit is off, or the metric cannot be known here. */
export type Finding = Pick<Failure, "value" | "limit"> | null;

/** The recipe's thresholds. */
export type LimitName = Exclude<keyof ThresholdRecipe, "actions">;

interface Judges<M> {
  /** The recipe's threshold that it holds and that switches it off; null: always on. */
  readonly limit: LimitName | null;
  readonly fails: (metrics: M, limits: Limits) => Finding;
}

/**
 * A pure predicate over metrics. Its scope says what it judges: `trajectory` rules over everything, `context` over the context
 * management as a whole (segments and condensations), `block` over each context call, `sample` over each sample.
 */
export type Filter =
  | ({ readonly scope: "trajectory" } & Judges<TrajectoryMetrics>)
  | ({ readonly scope: "context" } & Judges<Metrics>)
  | ({
      readonly scope: "block";
      /** What is bad about a block that fails: that the call was made, which one segment teaches; or the memory, which a segment reads and a condensation teaches. */
      readonly blames: "call" | "memory";
    } & Judges<BlockMetrics>)
  | ({ readonly scope: "sample" } & Judges<SampleMetrics>);

export const below = (value: number | null, limit: number | null): Finding =>
  value !== null && limit !== null && value < limit ? { value, limit } : null;
export const above = (value: number | null, limit: number | null): Finding =>
  value !== null && limit !== null && value > limit ? { value, limit } : null;

/** How many findings one check has in a block, or what share of what it looked at they are; null where it did not look at the memory. */
export const findings = ([, found]: CheckCounts): number => found;
export const share = ([looked, found]: CheckCounts): number => (looked === 0 ? 0 : Math.round((found / looked) * 1e6) / 1e6);

export function checked({ checks }: BlockMetrics, check: string, by: (counted: CheckCounts) => number): number | null {
  const counted = checks[check];
  return counted === undefined ? null : by(counted);
}
