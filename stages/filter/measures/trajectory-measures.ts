import type { TrajectoryMetrics } from "../../../schemas/metrics.ts";
import { type Measure, promptTokens, type Seen } from "./measure.ts";

const total = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0);
const allPrompts = (seen: Seen): number[] | null => seen.segments?.flatMap(promptTokens) ?? null;

function promptDistribution(seen: Seen): TrajectoryMetrics["promptTokens"] {
  const prompts = allPrompts(seen);
  return prompts === null ? null : { calls: prompts.length, sum: total(prompts), max: prompts.reduce((a, b) => Math.max(a, b), 0) };
}

/** Per trajectory. Units and sources stand at the fields of `TrajectoryMetrics`. */
export const trajectoryMeasures: { readonly [K in keyof TrajectoryMetrics]: Measure<Seen, TrajectoryMetrics[K]> } = {
  resolved: (seen) => seen.trajectory.outcome.resolved,
  exit: (seen) => seen.trajectory.outcome.exit,
  steps: (seen) => seen.trajectory.steps.length,
  callLessSteps: (seen) => seen.trajectory.steps.slice(0, -1).filter((step) => step.calls.length === 0).length,
  unrenderable: (seen) => [...seen.reasons],
  preCondensed: (seen) => seen.trajectory.marks.includes("pre-condensed"),
  controlTokenTexts: (seen) => seen.rendered?.controlTexts ?? null,
  baseTokens: (seen) => (seen.base === null ? null : total(seen.base.turns.map((turn) => turn.tokens))),
  rejectedBy: (seen) => seen.rejectedBy,
  promptTokens: promptDistribution,
  promptTokensPerCall: allPrompts,
  contamination: (seen) => seen.contamination,
};
