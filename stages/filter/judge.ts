import { z } from "zod";
import type { Metrics, SampleMetrics } from "../../schemas/metrics.ts";
import { FilterRecipe, WindowRecipe } from "../../schemas/recipe.ts";
import type { Decision, Failure, Verdict } from "../../schemas/verdict.ts";
import { ok, type Stage } from "../stage.ts";
import type { Filter, Finding, Limits } from "./filters/filter.ts";
import { filters } from "./filters/index.ts";

export const JudgeParams = z.strictObject({ filter: FilterRecipe, windowTokens: WindowRecipe.shape.tokens });
export type JudgeParams = z.infer<typeof JudgeParams>;

const all = Object.entries<Filter>(filters);

/** Every filter that fails, never only the first, so that thresholds can be tuned one by one. */
const failures = (find: (filter: Filter) => Finding): Failure[] =>
  all.flatMap(([name, filter]) => {
    const found = find(filter);
    return found === null ? [] : [{ filter: name, ...found }];
  });

const decide = (above: boolean, failed: Failure[]): Decision => ({ keep: above && failed.length === 0, failed });

/** Judges one trajectory's metrics; numbers in, decisions out. */
export function judgeMetrics(metrics: Metrics, limits: Limits): Verdict {
  const sample = (above: boolean, measured: SampleMetrics): Decision =>
    decide(
      above,
      failures((filter) => (filter.scope === "sample" ? filter.fails(measured, limits) : null)),
    );
  const trajectory = decide(
    true,
    failures((filter) => (filter.scope === "trajectory" ? filter.fails(metrics.trajectory, limits) : null)),
  );
  const context = decide(
    trajectory.keep,
    failures((filter) => (filter.scope === "context" ? filter.fails(metrics, limits) : null)),
  );
  return {
    trajectory,
    context,
    segments: metrics.segments.map((segment) => sample(context.keep, segment)),
    condensations: metrics.condensations.map((condensation) => sample(context.keep, condensation)),
    base: metrics.base === null ? { keep: false, failed: [] } : sample(trajectory.keep, metrics.base),
  };
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
