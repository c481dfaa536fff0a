import type { FilterAction } from "../../schemas/filter-action.ts";
import type { Metrics, SampleMetrics } from "../../schemas/metrics.ts";
import type { Decision, Failure, Verdict } from "../../schemas/verdict.ts";
import { metricsWithoutLast } from "../lib/last-call.ts";
import { ok, type Stage } from "../stage.ts";
import { actionOf } from "./actions.ts";
import type { Filter, Limits } from "./filters/filter.ts";
import { filters } from "./filters/index.ts";
import { type JudgeParams, judgeOutline } from "./judge-outline.ts";

type Scope = Filter["scope"];
type Scoped<S extends Scope> = Extract<Filter, { scope: S }>;
type Named<S extends Scope> = readonly (readonly [string, Scoped<S>])[];

/** Sorted by scope once: a run asks each of them for every sample. */
const named = <S extends Scope>(scope: S): Named<S> =>
  Object.entries<Filter>(filters).flatMap(([name, filter]) => (filter.scope === scope ? [[name, filter as Scoped<S>] as const] : []));
const ofTrajectory = named("trajectory");
const ofContext = named("context");
const ofBlock = named("block");
const ofSample = named("sample");
const blames = new Map(ofBlock.map(([name, filter]) => [name, filter.blames]));

const failureOf = (
  name: string,
  filter: Filter,
  found: Pick<Failure, "value" | "limit">,
  block: number | null,
  limits: Limits,
): Failure => ({
  filter: name,
  block,
  ...found,
  action: actionOf(name, filter, limits.actions),
});

const hasAction = (failed: readonly Failure[], action: FilterAction): boolean =>
  failed.length > 0 && failed.some((failure) => failure.action === action);
const onlyFlagged = (failed: readonly Failure[]): boolean => failed.every((failure) => failure.action === "flag");

/** Every filter that fails, never only the first, so that thresholds can be tuned one by one. */
interface Failures {
  readonly trajectory: Failure[];
  readonly context: Failure[];
  readonly segments: Failure[][];
  readonly condensations: Failure[][];
  readonly base: Failure[];
}

function failuresOf(metrics: Metrics, limits: Limits): Failures {
  const trajectory: Failure[] = [];
  for (const [name, filter] of ofTrajectory) {
    const found = filter.fails(metrics.trajectory, limits);
    if (found !== null) trajectory.push(failureOf(name, filter, found, null, limits));
  }
  const context: Failure[] = [];
  for (const [name, filter] of ofContext) {
    const found = filter.fails(metrics, limits);
    if (found !== null) context.push(failureOf(name, filter, found, null, limits));
  }
  for (const [name, filter] of ofBlock) {
    let block = 0;
    for (const measured of metrics.blocks) {
      const found = filter.fails(measured, limits);
      if (found !== null) context.push(failureOf(name, filter, found, block, limits));
      block += 1;
    }
  }
  return blamed({
    trajectory,
    context,
    segments: ofSamples(metrics.segments, limits),
    condensations: ofSamples(metrics.condensations, limits),
    base: metrics.base === null ? [] : sampleFailures(metrics.base, limits),
  });
}

function sampleFailures(sample: SampleMetrics, limits: Limits): Failure[] {
  const failed: Failure[] = [];
  for (const [name, filter] of ofSample) {
    const found = filter.fails(sample, limits);
    if (found !== null) failed.push(failureOf(name, filter, found, null, limits));
  }
  return failed;
}

function ofSamples(samples: readonly SampleMetrics[], limits: Limits): Failure[][] {
  const all: Failure[][] = [];
  for (const sample of samples) all.push(sampleFailures(sample, limits));
  return all;
}

/** A block that costs one sample costs the one that teaches what is bad about it: segment j makes call j, segment j + 1 reads its memory. */
function blamed(failures: Failures): Failures {
  for (const failure of failures.context) {
    if (failure.action !== "reject-sample" || failure.block === null) continue;
    if (blames.get(failure.filter) === "call") failures.segments[failure.block]?.push(failure);
    else {
      failures.segments[failure.block + 1]?.push(failure);
      failures.condensations[failure.block]?.push(failure);
    }
  }
  return failures;
}

function verdictOf(metrics: Metrics, failures: Failures): Verdict {
  const { trajectory, context, segments, condensations, base } = failures;
  const managed = [context, ...segments, ...condensations];
  const keepTrajectory = [trajectory, base, ...managed].every((failed) => !hasAction(failed, "reject-trajectory"));
  const keepContext = keepTrajectory && managed.every((failed) => !hasAction(failed, "reject-context") && !hasAction(failed, "drop-last"));
  const sample = (failed: Failure[]): Decision => ({ keep: keepContext && onlyFlagged(failed), failed });
  return {
    trajectory: { keep: keepTrajectory, failed: trajectory },
    context: { keep: keepContext, failed: context },
    segments: segments.map(sample),
    condensations: condensations.map(sample),
    base: { keep: metrics.base !== null && keepTrajectory && onlyFlagged(base), failed: base },
    dropLast: null,
  };
}

/** Without its last call, where that is all that is asked for and all that is left passes, the merged segment too; else null. */
function dropped(metrics: Metrics, whole: Verdict, limits: Limits): Verdict | null {
  const rest = metricsWithoutLast(metrics);
  const managed = [whole.context, ...whole.segments, ...whole.condensations];
  if (rest === null || !whole.trajectory.keep || managed.some(({ failed }) => hasAction(failed, "reject-context"))) return null;
  const verdict = verdictOf(rest, failuresOf(rest, limits));
  const merged = verdict.segments.at(-1);
  if (!verdict.context.keep || merged?.keep !== true) return null;
  return {
    ...whole,
    context: { keep: true, failed: whole.context.failed },
    segments: [...verdict.segments.slice(0, -1), ...whole.segments.slice(-2)],
    condensations: [...verdict.condensations, ...whole.condensations.slice(-1)],
    dropLast: merged,
  };
}

const asRejected = (failure: Failure): Failure => (failure.action === "drop-last" ? { ...failure, action: "reject-context" } : failure);

/** Judges one trajectory's metrics; numbers in, decisions out. */
export function judgeMetrics(metrics: Metrics, limits: Limits): Verdict {
  const whole = verdictOf(metrics, failuresOf(metrics, limits));
  if (!hasAction(whole.context.failed, "drop-last")) return whole;
  return dropped(metrics, whole, limits) ?? { ...whole, context: { keep: false, failed: whole.context.failed.map(asRejected) } };
}

/** Stage 5b: thresholds over metrics. It cannot even ask for text, so a changed threshold costs nothing but this. */
export const judge: Stage<"metrics", never, "verdict", JudgeParams> = {
  ...judgeOutline,
  run: async ({ metrics }, params) => ok(judgeMetrics(metrics, { ...params.filter, windowTokens: params.windowTokens })),
};
