import type { BlockMetrics, CheckMetrics, Metrics, SampleMetrics, TrajectoryMetrics } from "../../../schemas/metrics.ts";
import type { FilterRecipe } from "../../../schemas/recipe.ts";
import type { Failure } from "../../../schemas/verdict.ts";

/** All thresholds a filter may hold against a metric; null in the recipe = off. */
export interface Limits extends FilterRecipe {
  readonly windowTokens: number;
}

/** What was seen and the limit it breaks; null: passes, or the limit is off, or the metric cannot be known here. */
export type Finding = Pick<Failure, "value" | "limit"> | null;

/**
 * A pure predicate over metrics. Its scope says what it judges: `trajectory` rules over everything, `context` over the context
 * management as a whole (segments and condensations), the rest over samples of one kind.
 */
export type Filter =
  | { readonly scope: "trajectory"; readonly fails: (metrics: TrajectoryMetrics, limits: Limits) => Finding }
  | { readonly scope: "context"; readonly fails: (metrics: Metrics, limits: Limits) => Finding }
  | { readonly scope: "sample"; readonly fails: (metrics: SampleMetrics, limits: Limits) => Finding };

export const below = (value: number | null, limit: number | null): Finding =>
  value !== null && limit !== null && value < limit ? { value, limit } : null;
export const above = (value: number | null, limit: number | null): Finding =>
  value !== null && limit !== null && value > limit ? { value, limit } : null;

/** Smallest and largest of a list; null for an empty one, which no bound then fails. */
export const smallest = (values: readonly number[]): number | null => (values.length === 0 ? null : Math.min(...values));
export const largest = (values: readonly number[]): number | null => (values.length === 0 ? null : Math.max(...values));

/** How many findings one check has, and what share of what it looked at they are. */
type Counted = Pick<CheckMetrics, "looked" | "found">;
export const findings = ({ found }: Counted): number => found;
export const share = ({ looked, found }: Counted): number => (looked === 0 ? 0 : Math.round((found / looked) * 1e6) / 1e6);

/** The worst memory by one check; null where no memory was checked by it. */
export const worst = (blocks: readonly BlockMetrics[], check: string, by: (counted: Counted) => number): number | null =>
  largest(blocks.flatMap((block) => block.checks.filter((one) => one.check === check).map(by)));
