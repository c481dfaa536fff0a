import type { Metrics, TrajectoryMetrics } from "../../schemas/metrics.ts";
import type { Memory, Workspace } from "../../schemas/sidecars.ts";
import type { Verdict } from "../../schemas/verdict.ts";

/**
 * A trajectory as if its last context call had not been made: the last two segments become one, the last condensation goes, all else
 * stays. Only the last call can go: every later memory is made from the earlier ones.
 */

/** The last two of a list as `merged`; the list must have them. */
const mergeLast = <T>(items: readonly T[], merged: T): T[] => [...items.slice(0, -2), merged];

export const memoryWithoutLast = ({ blocks }: Memory): Memory => ({ blocks: blocks.slice(0, -1) });

export function workspaceWithoutLast({ segments, condensations }: Workspace): Workspace {
  const [before, last] = segments.slice(-2);
  if (before === undefined || last === undefined) throw new Error("there is no context call to leave out");
  const merged = { ...before, target: { start: before.target.start, end: last.target.end }, closes: null };
  return { segments: mergeLast(segments, merged), condensations: condensations.slice(0, -1) };
}

/** Calls after the last block see as much more as its call made the window smaller; the call itself is gone. */
function promptsWithoutLast(metrics: Metrics): Pick<TrajectoryMetrics, "promptTokens" | "promptTokensPerCall"> {
  const { trajectory, blocks } = metrics;
  const { promptTokens, promptTokensPerCall } = trajectory;
  const last = blocks.at(-1);
  if (promptTokensPerCall === null || promptTokens === null || last === undefined) return { promptTokens, promptTokensPerCall };
  const after = trajectory.steps - last.cut;
  const grown = last.windowTokensBefore - last.windowTokensAfter;
  const prompts = [...promptTokensPerCall.slice(0, -after - 1), ...promptTokensPerCall.slice(-after).map((tokens) => tokens + grown)];
  const sum = prompts.reduce((a, b) => a + b, 0);
  return { promptTokens: { calls: prompts.length, sum, max: Math.max(...prompts) }, promptTokensPerCall: prompts };
}

/** null: no context call was made, or it was not measured what the last segment would be without. */
export function metricsWithoutLast(metrics: Metrics): Metrics | null {
  if (metrics.dropLast === null) return null;
  return {
    trajectory: { ...metrics.trajectory, ...promptsWithoutLast(metrics) },
    blocks: metrics.blocks.slice(0, -1),
    segments: mergeLast(metrics.segments, metrics.dropLast),
    condensations: metrics.condensations.slice(0, -1),
    base: metrics.base,
    dropLast: null,
    set: metrics.set,
  };
}

interface Judged {
  readonly memory: Memory | null;
  readonly workspace: Workspace | null;
  readonly metrics: Metrics;
  readonly verdict: Verdict;
}

/** Applies what the verdict says of the last context call, so that nobody downstream need know; the same when it says nothing. */
export function withVerdictApplied<T extends Judged>(judged: T): T {
  const { memory, workspace, metrics, verdict } = judged;
  if (verdict.dropLast === null) return judged;
  const measured = metricsWithoutLast(metrics);
  if (memory === null || workspace === null || measured === null)
    throw new Error("a verdict drops the last call of a trajectory without calls");
  return {
    ...judged,
    memory: memoryWithoutLast(memory),
    workspace: workspaceWithoutLast(workspace),
    metrics: measured,
    verdict: keptWithoutLast(verdict, verdict.dropLast),
  };
}

const keptWithoutLast = (verdict: Verdict, merged: Verdict["base"]): Verdict => ({
  ...verdict,
  segments: mergeLast(verdict.segments, merged),
  condensations: verdict.condensations.slice(0, -1),
  dropLast: null,
});
