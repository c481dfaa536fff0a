import type { Flow, Funnel, Spent } from "../../schemas/funnel.ts";
import type { Metrics } from "../../schemas/metrics.ts";
import { type LeftOut, SetRule } from "../../schemas/selection.ts";
import type { Decision, Failure, Verdict } from "../../schemas/verdict.ts";
import { createContaminationCount } from "./contamination-count.ts";

export const nothingSpent: Spent = { calls: 0, tokensIn: 0, tokensOut: 0, cost: null };

interface SetTally {
  lost: { trajectories: number; segments: number };
  leftOut: number;
}

interface Tally {
  lost: { trajectories: number; segments: number };
  rejects: number;
  only: number;
  flags: number;
}

const emptyFlow = (): Flow => ({ in: { trajectories: 0, segments: 0 }, kept: { trajectories: 0, segments: 0 } });
const sorted = (flows: ReadonlyMap<string, Flow>): Record<string, Flow> =>
  Object.fromEntries([...flows].sort(([a], [b]) => (a < b ? -1 : 1)));
const sourceOf = (id: string): string => id.slice(0, id.indexOf("/"));
const outcomeOf = ({ trajectory: { resolved } }: Metrics): string => (resolved === null ? "unknown" : resolved ? "resolved" : "unresolved");

const allFailures = ({ trajectory, context, segments, condensations, base }: Verdict): Failure[] =>
  [trajectory, context, ...segments, ...condensations, base].flatMap((decision) => decision.failed);
const takesAll = ({ action }: Failure): boolean => action === "reject-trajectory" || action === "reject-context";

/** Gathers the funnel, one trajectory at a time. `order`: the filters as the registry has them. */
export function createFunnel(order: readonly string[]): {
  /** `leftOut`: why the set-level pass leaves it out; null: it does not, or was not made yet. */
  add(id: string, metrics: Metrics, verdict: Verdict, leftOut: LeftOut | null): void;
  funnel(spent: Spent): Funnel;
} {
  const total = emptyFlow();
  const [sources, outcomes] = [new Map<string, Flow>(), new Map<string, Flow>()];
  const tallies = new Map(
    order.map((name): [string, Tally] => [name, { lost: { trajectories: 0, segments: 0 }, rejects: 0, only: 0, flags: 0 }]),
  );
  const setTallies = new Map(
    SetRule.options.map((rule): [SetRule, SetTally] => [rule, { lost: { trajectories: 0, segments: 0 }, leftOut: 0 }]),
  );
  const contamination = createContaminationCount();
  let keptSamples = 0;
  const flowIn = (flows: Map<string, Flow>, name: string): Flow => {
    const flow = flows.get(name) ?? emptyFlow();
    flows.set(name, flow);
    return flow;
  };
  const firstOf = (failed: readonly Failure[]): string | null => order.find((name) => failed.some(({ filter }) => filter === name)) ?? null;
  const lose = (filter: string | null, trajectories: number, segments: number): void => {
    const lost = filter === null ? undefined : tallies.get(filter)?.lost;
    if (lost === undefined) return;
    lost.trajectories += trajectories;
    lost.segments += segments;
  };

  /** Segments of a kept trajectory that go one by one, and one of two for a dropped call. */
  function loseSingly({ context, segments, dropLast }: Verdict): void {
    const left = dropLast === null ? segments : [...segments.slice(0, -2), dropLast];
    for (const { keep, failed } of left) if (!keep) lose(firstOf(failed.filter(({ action }) => action !== "flag")), 0, 1);
    if (dropLast !== null) lose(firstOf(context.failed.filter(({ action }) => action === "drop-last")), 0, 1);
  }

  function count(failed: readonly Failure[]): void {
    const rejecting = new Set(failed.flatMap(({ filter, action }) => (action === "flag" ? [] : [filter])));
    for (const name of rejecting) {
      const tally = tallies.get(name);
      if (tally === undefined) continue;
      tally.rejects += 1;
      if (rejecting.size === 1) tally.only += 1;
    }
    for (const name of new Set(failed.map(({ filter }) => filter))) {
      const tally = tallies.get(name);
      if (tally !== undefined && !rejecting.has(name)) tally.flags += 1;
    }
  }

  function leave(rule: SetRule, trajectories: number, segments: number): void {
    const tally = setTallies.get(rule);
    if (tally === undefined) return;
    tally.leftOut += 1;
    tally.lost.trajectories += trajectories;
    tally.lost.segments += segments;
  }

  const kept = (decisions: readonly Decision[]): number => decisions.filter(({ keep }) => keep).length;

  return {
    add(id, metrics, verdict, leftOut) {
      const failed = allFailures(verdict);
      count(failed);
      const segments = kept([...verdict.segments, ...(verdict.dropLast === null ? [] : [verdict.dropLast])]);
      const others = kept([...verdict.condensations, verdict.base]);
      const stays = leftOut === null;
      if (stays) keptSamples += segments + others;
      else leave(leftOut.rule, verdict.context.keep ? 1 : 0, segments);
      contamination.add(metrics.trajectory.contamination, stays && segments + others > 0);
      for (const flow of [total, flowIn(sources, sourceOf(id)), flowIn(outcomes, outcomeOf(metrics))]) {
        flow.in.trajectories += 1;
        flow.in.segments += metrics.segments.length;
        flow.kept.trajectories += stays && verdict.context.keep ? 1 : 0;
        flow.kept.segments += stays ? segments : 0;
      }
      if (verdict.context.keep) loseSingly(verdict);
      else lose(firstOf(failed.filter(takesAll)), 1, metrics.segments.length);
    },
    funnel: (spent) => ({
      total,
      byFilter: [...tallies].map(([filter, tally]) => ({ filter, ...tally })),
      bySetRule: [...setTallies].filter(([, tally]) => tally.leftOut > 0).map(([rule, tally]) => ({ rule, ...tally })),
      bySource: sorted(sources),
      byOutcome: sorted(outcomes),
      keptSamples,
      spent,
      perKeptSample: {
        tokens: keptSamples === 0 ? null : Math.round((10 * (spent.tokensIn + spent.tokensOut)) / keptSamples) / 10,
        cost:
          keptSamples === 0 || spent.cost === null
            ? null
            : { amount: Math.round((1e6 * spent.cost.amount) / keptSamples) / 1e6, currency: spent.cost.currency },
      },
      contamination: contamination.count(),
    }),
  };
}
