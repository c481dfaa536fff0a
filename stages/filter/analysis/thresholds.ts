import type { Metrics } from "../../../schemas/metrics.ts";
import { metricsWithoutLast } from "../../lib/last-call.ts";
import { actionOf } from "../actions.ts";
import type { Filter, LimitName, Limits } from "../filters/filter.ts";
import { filters } from "../filters/index.ts";
import { judgeMetrics } from "../judge.ts";

/** A threshold that is a number, and so can be moved. */
export interface Threshold {
  readonly name: LimitName;
  readonly filter: string;
  /** `min`: what is below it fails; `max`: what is above it. */
  readonly bound: "min" | "max";
}

const boundOf = (name: string): Threshold["bound"] | null => (/^min[A-Z]/.test(name) ? "min" : /^max[A-Z]/.test(name) ? "max" : null);

export const thresholds: readonly Threshold[] = Object.entries<Filter>(filters).flatMap(([filter, { limit }]) => {
  const bound = limit === null ? null : boundOf(limit);
  return limit === null || bound === null ? [] : [{ name: limit, filter, bound }];
});

export const filterNamed = (name: string): Filter => {
  const filter = new Map<string, Filter>(Object.entries(filters)).get(name);
  if (filter === undefined) throw new Error(`no filter is named ${name}`);
  return filter;
};

export const limitOf = (limits: Limits, { name }: Threshold): number | null => limits[name] as number | null;
export const withLimit = (limits: Limits, { name }: Threshold, value: number | null): Limits => ({ ...limits, [name]: value });
export const passes = ({ bound }: Threshold, value: number, limit: number): boolean => (bound === "min" ? value >= limit : value <= limit);
/** The worse of two values under the threshold; what is no number is no worse than anything. */
const worse = ({ bound }: Threshold, a: number, b: number): number => {
  if (Number.isNaN(a)) return b;
  if (Number.isNaN(b)) return a;
  return bound === "min" ? Math.min(a, b) : Math.max(a, b);
};

/** A threshold with the limits under which it fails whatever it looks at, so that its finding tells the value it saw. */
export interface Probe {
  readonly threshold: Threshold;
  readonly filter: Filter;
  readonly action: ReturnType<typeof actionOf>;
  readonly failing: Limits;
  readonly off: Limits;
}

export function probeOf(threshold: Threshold, limits: Limits): Probe {
  const filter = filterNamed(threshold.filter);
  const hardest = threshold.bound === "min" ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
  return {
    threshold,
    filter,
    action: actionOf(threshold.filter, filter, limits.actions),
    failing: withLimit(limits, threshold, hardest),
    off: withLimit(limits, threshold, null),
  };
}

const numberIn = (found: { value: unknown } | null): number => (typeof found?.value === "number" ? found.value : Number.NaN);

/** What the filter sees in each place it looks at; NaN where it says nothing. */
export function seenBy({ filter, failing }: Probe, metrics: Metrics): number[] {
  if (filter.scope === "trajectory") return [numberIn(filter.fails(metrics.trajectory, failing))];
  if (filter.scope === "context") return [numberIn(filter.fails(metrics, failing))];
  if (filter.scope === "block") return metrics.blocks.map((block) => numberIn(filter.fails(block, failing)));
  return [...metrics.segments, ...metrics.condensations].map((sample) => numberIn(filter.fails(sample, failing)));
}

/** The worst of what the filter sees; NaN where it sees nothing. */
export const worstSeen = (probe: Probe, metrics: Metrics): number =>
  seenBy(probe, metrics).reduce((a, b) => worse(probe.threshold, a, b), Number.NaN);

/**
 * The value on which it hangs whether the trajectory gives segments: it does where the threshold passes this, all else left as it is. NaN:
 * wherever the threshold stands (its filter only flags, or costs single samples, or sees nothing).
 */
export function turningValue(probe: Probe, metrics: Metrics): number {
  if (probe.action === "flag" || probe.action === "reject-sample") return Number.NaN;
  const whole = worstSeen(probe, metrics);
  if (probe.action !== "drop-last" || Number.isNaN(whole)) return whole;
  const rest = metricsWithoutLast(metrics);
  if (rest === null) return whole;
  const without = worstSeen(probe, rest);
  if (worse(probe.threshold, whole, without) === without) return whole; // fewer calls are too few all the more
  // Would the last call be dropped if it alone failed? Asked with the limit where all but the last just pass.
  const asked = Number.isNaN(without) ? probe.failing : withLimit(probe.off, probe.threshold, without);
  return judgeMetrics(metrics, asked).context.keep ? without : whole;
}

/** Worse than any limit: moving this threshold alone does not help. */
const never = ({ bound }: Threshold): number => (bound === "min" ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY);

/**
 * The same where some filter asks to drop the last call, so that every other threshold speaks of the run with it, or of the run without: by
 * judging with the threshold at each value that could matter, from the tightest.
 */
export function turningWhereDropped(probe: Probe, metrics: Metrics): number {
  const { threshold } = probe;
  const keeps = (limits: Limits): boolean => judgeMetrics(metrics, limits).context.keep;
  if (keeps(probe.failing)) return Number.NaN;
  const rest = metricsWithoutLast(metrics);
  // One block's value decides where it costs that block's sample alone: no last call is dropped into a sample that is not kept.
  const seen = (whole: Metrics): number[] => (probe.action === "reject-sample" ? seenBy(probe, whole) : [worstSeen(probe, whole)]);
  const values = [...seen(metrics), ...(rest === null ? [] : seen(rest))].filter((value) => !Number.isNaN(value));
  const fromTight = [...new Set(values)].sort((a, b) => (threshold.bound === "min" ? b - a : a - b));
  return fromTight.find((value) => keeps(withLimit(probe.off, threshold, value))) ?? never(threshold);
}
