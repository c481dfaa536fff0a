import type { Metrics } from "../../../schemas/metrics.ts";
import type { Standing } from "../../../schemas/selection.ts";
import type { Verdict } from "../../../schemas/verdict.ts";
import { drawer } from "../../lib/drawer.ts";
import { textHash } from "./words.ts";

const failedFilters = ({ trajectory, context, segments, condensations, base }: Verdict): number =>
  new Set([trajectory, context, ...segments, ...condensations, base].flatMap(({ failed }) => failed.map(({ filter }) => filter))).size;

function findingShare(metrics: Metrics, calls: number): number {
  let [looked, found] = [0, 0];
  for (const { checks } of metrics.blocks.slice(0, calls))
    for (const [seen, wrong] of Object.values(checks)) {
      looked += seen;
      found += wrong;
    }
  return looked === 0 ? 0 : Math.min(1, Math.round((1e4 * found) / looked) / 1e4);
}

/** `showsCalls`: at least one of the samples it would be selected for is made of its segments. */
export function standingOf(id: string, metrics: Metrics, verdict: Verdict, showsCalls: boolean, seed: number): Standing {
  const calls = metrics.blocks.length - (verdict.dropLast === null ? 0 : 1);
  return {
    resolved: metrics.trajectory.resolved,
    contextCalls: showsCalls ? calls : 0,
    failedFilters: failedFilters(verdict),
    findingShare: findingShare(metrics, calls),
    draw: drawer(textHash(id) + seed)() * 2 ** 32,
  };
}

const outcomeRank = ({ resolved }: Standing): number => (resolved === true ? 0 : resolved === null ? 1 : 2);

/**
 * Best first: a known success before an unknown outcome before a failure; then those that show a context call, which the data is for; then fewer
 * failed filters; then a smaller share of findings in the memories; then by draw. Our choice. Length does not count: shorter first would
 * take from the data the long runs that context management is for, longer first the runs that know the way.
 */
export const byStanding = (a: Standing, b: Standing): number =>
  outcomeRank(a) - outcomeRank(b) ||
  Number(b.contextCalls > 0) - Number(a.contextCalls > 0) ||
  a.failedFilters - b.failedFilters ||
  a.findingShare - b.findingShare ||
  a.draw - b.draw;
