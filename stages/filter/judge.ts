import type { FilterAction } from "../../schemas/filter-action.ts";
import type { BlockMetrics, Metrics, SampleMetrics, TrajectoryMetrics } from "../../schemas/metrics.ts";
import type { Decision, Failure, Verdict } from "../../schemas/verdict.ts";
import { metricsWithoutLast } from "../lib/last-call.ts";
import { ok, type Stage } from "../stage.ts";
import { actionOf } from "./actions.ts";
import type { Filter, Finding, Limits } from "./filters/filter.ts";
import { filters } from "./filters/index.ts";
import { type JudgeParams, judgeOutline } from "./judge-outline.ts";

/** A filter that is on, and what comes of it when it fails. */
interface Rule<M> {
  readonly name: string;
  readonly fails: (metrics: M, limits: Limits) => Finding;
  readonly action: FilterAction;
}
type BlockRule = Rule<BlockMetrics> & { readonly blames: "call" | "memory" };

/** What a recipe asks of each scope. */
interface Rules {
  readonly limits: Limits;
  readonly trajectory: readonly Rule<TrajectoryMetrics>[];
  readonly context: readonly Rule<Metrics>[];
  readonly block: readonly BlockRule[];
  readonly sample: readonly Rule<SampleMetrics>[];
}

function rulesUnder(limits: Limits): Rules {
  const rules = { limits, trajectory: [], context: [], block: [], sample: [] } as { limits: Limits } & Record<Filter["scope"], unknown[]>;
  for (const [name, filter] of Object.entries<Filter>(filters)) {
    if (filter.limit !== null && limits[filter.limit] === null) continue; // off
    rules[filter.scope].push({ ...filter, name, action: actionOf(name, filter, limits.actions) });
  }
  return rules as unknown as Rules;
}

/** Thresholds are looked at once, since a run judges millions of samples under them. */
const knownRules = new WeakMap<Limits, Rules>();
function rulesOf(limits: Limits): Rules {
  const known = knownRules.get(limits);
  if (known !== undefined) return known;
  const rules = rulesUnder(limits);
  knownRules.set(limits, rules);
  return rules;
}

const failureOf = <M>({ name, action }: Rule<M>, { value, limit }: NonNullable<Finding>, block: number | null): Failure => ({
  filter: name,
  block,
  value,
  limit,
  action,
});

/** Every rule that fails, never only the first, so that thresholds can be tuned one by one. */
function failing<M>(rules: readonly Rule<M>[], metrics: M, limits: Limits): Failure[] {
  const failed: Failure[] = [];
  for (const rule of rules) {
    const found = rule.fails(metrics, limits);
    if (found !== null) failed.push(failureOf(rule, found, null));
  }
  return failed;
}

interface Failures {
  readonly trajectory: Failure[];
  readonly context: Failure[];
  readonly segments: Failure[][];
  readonly condensations: Failure[][];
  readonly base: Failure[];
  /** All of the context management, each once. */
  readonly managed: readonly Failure[];
}

function failuresOf(metrics: Metrics, { limits, ...rules }: Rules): Failures {
  const segments = metrics.segments.map((sample) => failing(rules.sample, sample, limits));
  const condensations = metrics.condensations.map((sample) => failing(rules.sample, sample, limits));
  const context = failing(rules.context, metrics, limits);
  const managed = [...context, ...segments.flat(), ...condensations.flat()];
  for (const rule of rules.block) {
    for (let block = 0; block < metrics.blocks.length; block += 1) {
      const found = rule.fails(metrics.blocks[block] as BlockMetrics, limits);
      if (found === null) continue;
      const failure = failureOf(rule, found, block);
      context.push(failure);
      managed.push(failure);
      if (failure.action !== "reject-sample") continue;
      // What costs one sample costs the one that teaches what is bad about it: segment j makes call j, segment j + 1 reads its memory.
      if (rule.blames === "call") segments[block]?.push(failure);
      else {
        segments[block + 1]?.push(failure);
        condensations[block]?.push(failure);
      }
    }
  }
  const base = metrics.base === null ? [] : failing(rules.sample, metrics.base, limits);
  return { trajectory: failing(rules.trajectory, metrics.trajectory, limits), context, segments, condensations, base, managed };
}

const hasAction = (failed: readonly Failure[], action: FilterAction): boolean => failed.some((failure) => failure.action === action);
const onlyFlagged = (failed: readonly Failure[]): boolean => failed.every((failure) => failure.action === "flag");

const decision = (above: boolean, failed: Failure[]): Decision => ({ keep: above && onlyFlagged(failed), failed });

function verdictOf(metrics: Metrics, { trajectory, context, segments, condensations, base, managed }: Failures): Verdict {
  const keepTrajectory = [trajectory, base, managed].every((failed) => !hasAction(failed, "reject-trajectory"));
  const keepContext = keepTrajectory && !hasAction(managed, "reject-context") && !hasAction(managed, "drop-last");
  return {
    trajectory: { keep: keepTrajectory, failed: trajectory },
    context: { keep: keepContext, failed: context },
    segments: segments.map((failed) => decision(keepContext, failed)),
    condensations: condensations.map((failed) => decision(keepContext, failed)),
    base: decision(metrics.base !== null && keepTrajectory, base),
    dropLast: null,
  };
}

/** Without its last call, where that is all that is asked for and all that is left passes, the merged segment too; else null. */
function dropped(metrics: Metrics, whole: Verdict, managed: readonly Failure[], rules: Rules): Verdict | null {
  const rest = metricsWithoutLast(metrics);
  if (rest === null || !whole.trajectory.keep || hasAction(managed, "reject-context")) return null;
  const verdict = verdictOf(rest, failuresOf(rest, rules));
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

/** Judges one trajectory's metrics; numbers in, decisions out. Thresholds that do not change should come as one object: it is remembered. */
export function judgeMetrics(metrics: Metrics, limits: Limits): Verdict {
  const rules = rulesOf(limits);
  const failures = failuresOf(metrics, rules);
  const whole = verdictOf(metrics, failures);
  if (!hasAction(whole.context.failed, "drop-last")) return whole;
  const without = dropped(metrics, whole, failures.managed, rules);
  return without ?? { ...whole, context: { keep: false, failed: whole.context.failed.map(asRejected) } };
}

const knownLimits = new WeakMap<JudgeParams, Limits>();
function limitsIn(params: JudgeParams): Limits {
  const known = knownLimits.get(params);
  if (known !== undefined) return known;
  const limits = { ...params.filter, windowTokens: params.windowTokens };
  knownLimits.set(params, limits);
  return limits;
}

/** Stage 5b: thresholds over metrics. It cannot even ask for text, so a changed threshold costs nothing but this. */
export const judge: Stage<"metrics", never, "verdict", JudgeParams> = {
  ...judgeOutline,
  run: async ({ metrics }, params) => ok(judgeMetrics(metrics, limitsIn(params))),
};
