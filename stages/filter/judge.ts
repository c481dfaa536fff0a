import { z } from "zod";
import type { Metrics, SampleMetrics } from "../../schemas/metrics.ts";
import { FilterRecipe, WindowRecipe } from "../../schemas/recipe.ts";
import type { Decision, Failure, Verdict } from "../../schemas/verdict.ts";
import { ok, type Stage } from "../stage.ts";
import type { Filter, Finding, Limits } from "./filters/filter.ts";
import { filters } from "./filters/index.ts";

export const JudgeParams = z.strictObject({ filter: FilterRecipe, windowTokens: WindowRecipe.shape.tokens });
export type JudgeParams = z.infer<typeof JudgeParams>;

type Scope = Filter["scope"];
type Scoped<S extends Scope> = Extract<Filter, { scope: S }>;

/** Sorted by scope once: a run asks each of them for every sample. */
const named = <S extends Scope>(scope: S): (readonly [string, Scoped<S>["fails"]])[] =>
  Object.entries<Filter>(filters).flatMap(([name, filter]) =>
    filter.scope === scope ? [[name, filter.fails as Scoped<S>["fails"]] as const] : [],
  );
const ofTrajectory = named("trajectory");
const ofContext = named("context");
const ofSample = named("sample");

/** Every filter that fails, never only the first, so that thresholds can be tuned one by one. `above`: what stands over it is kept. */
function decide<M>(
  above: boolean,
  ask: readonly (readonly [string, (metrics: M, limits: Limits) => Finding])[],
  metrics: M,
  limits: Limits,
): Decision {
  const failed: Failure[] = [];
  for (const [filter, fails] of ask) {
    const found = fails(metrics, limits);
    if (found !== null) failed.push({ filter, ...found });
  }
  return { keep: above && failed.length === 0, failed };
}

/** Judges one trajectory's metrics; numbers in, decisions out. */
export function judgeMetrics(metrics: Metrics, limits: Limits): Verdict {
  const trajectory = decide(true, ofTrajectory, metrics.trajectory, limits);
  const context = decide(trajectory.keep, ofContext, metrics, limits);
  return {
    trajectory,
    context,
    segments: decideAll(context.keep, metrics.segments, limits),
    condensations: decideAll(context.keep, metrics.condensations, limits),
    base: metrics.base === null ? { keep: false, failed: [] } : decide(trajectory.keep, ofSample, metrics.base, limits),
  };
}

function decideAll(above: boolean, samples: readonly SampleMetrics[], limits: Limits): Decision[] {
  const decisions: Decision[] = [];
  for (const sample of samples) decisions.push(decide(above, ofSample, sample, limits));
  return decisions;
}

/** Stage 5b: thresholds over metrics. It cannot even ask for text, so a changed threshold costs nothing but this. */
export const judge: Stage<"metrics", never, "verdict", JudgeParams> = {
  name: "judge",
  version: 1,
  reads: ["metrics"],
  readsIfKept: [],
  writes: "verdict",
  params: JudgeParams,
  run: async ({ metrics }, params) => ok(judgeMetrics(metrics, { ...params.filter, windowTokens: params.windowTokens })),
};
