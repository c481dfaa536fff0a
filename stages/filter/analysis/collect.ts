import type { Border, FilterReport, Overlap, Yield } from "../../../schemas/analysis.ts";
import type { Metrics } from "../../../schemas/metrics.ts";
import type { Failure, Verdict } from "../../../schemas/verdict.ts";
import { actionOf } from "../actions.ts";
import type { Filter, Limits } from "../filters/filter.ts";
import { filters } from "../filters/index.ts";
import { judgeMetrics } from "../judge.ts";
import { BorderWatch } from "./borders.ts";
import { Column } from "./column.ts";
import { Spreads } from "./spreads.ts";
import { type Probe, probeOf, thresholds, turningValue, turningWhereDropped, worstSeen } from "./thresholds.ts";

/** What is known of all trajectories under one recipe: a few numbers of each, so that any threshold can be moved without reading again. */
export interface Gathered {
  readonly limits: Limits;
  readonly probes: readonly Probe[];
  readonly size: number;
  /** Segments of each trajectory that are kept when it is. */
  readonly segments: Column;
  /** Per filter and trajectory: 1 when it rejects its segments. */
  readonly rejects: ReadonlyMap<string, Column>;
  /** Filters that do, per trajectory. */
  readonly rejectCounts: Column;
  /** Per threshold: the value on which it hangs (see `turningValue`), per trajectory. */
  readonly turning: ReadonlyMap<string, Column>;
  /** Per threshold whose filter costs single samples: the values that cost a kept segment, or would. */
  readonly segmentValues: ReadonlyMap<string, Column>;
  readonly measured: Yield;
  readonly kept: Yield;
  readonly spreads: Spreads;
  readonly filters: readonly FilterReport[];
  readonly overlaps: readonly Overlap[];
  readonly borders: readonly Border[];
  /** Metrics of every case at a border, by id. */
  readonly borderMetrics: ReadonlyMap<string, Metrics>;
}

const names = Object.keys(filters);
/** Those that may cost segments: of the base sample only what takes the whole trajectory along. */
const failuresIn = ({ trajectory, context, segments, condensations, base }: Verdict): Failure[] => [
  ...[trajectory, context, ...segments, ...condensations].flatMap((decision) => decision.failed),
  ...base.failed.filter(({ action }) => action === "reject-trajectory"),
];
const rejecting = (action: string): boolean => action === "reject-trajectory" || action === "reject-context";

/** Segments that are there when the trajectory is kept: all but those that a filter takes one by one. */
function segmentsLeft({ segments, dropLast }: Verdict): number {
  const left = dropLast === null ? segments : [...segments.slice(0, -2), dropLast];
  return left.filter(({ failed }) => failed.every(({ action }) => action !== "reject-sample")).length;
}

/** For a filter that costs single segments: of each block the value, where its segment is otherwise kept. */
function costlyValues({ filter, failing, threshold }: Probe, metrics: Metrics, verdict: Verdict): number[] {
  if (filter.scope !== "block" || verdict.dropLast !== null) return [];
  return metrics.blocks.flatMap((block, index) => {
    const segment = verdict.segments[filter.blames === "call" ? index : index + 1];
    const others = segment?.failed.some((one) => one.action === "reject-sample" && one.filter !== threshold.filter) ?? true;
    const found = filter.fails(block, failing);
    return others || typeof found?.value !== "number" ? [] : [found.value];
  });
}

class Tally {
  fails = 0;
  rejects = 0;
  only = 0;
  dropsLast = 0;
}

/** Takes one trajectory after the other; nothing but numbers, and the ids at the borders, stays in memory. */
export function createGathering(limits: Limits): { add(id: string, metrics: Metrics): void; gathered(): Gathered } {
  const probes = thresholds.map((threshold) => probeOf(threshold, limits));
  const drops = new Set(
    Object.entries<Filter>(filters).flatMap(([name, filter]) => (actionOf(name, filter, limits.actions) === "drop-last" ? [name] : [])),
  );
  const watches = probes.map((probe) => new BorderWatch(probe, limits));
  const turning = new Map(probes.map(({ threshold }) => [threshold.name as string, new Column()]));
  const segmentValues = new Map(
    probes.flatMap((probe) => (probe.action === "reject-sample" ? [[probe.threshold.name as string, new Column()]] : [])),
  );
  const rejects = new Map(names.map((name) => [name, new Column()]));
  const tallies = new Map(names.map((name) => [name, new Tally()]));
  const pairs = new Map<string, { together: number; only: number }>();
  const segments = new Column();
  const rejectCounts = new Column();
  const spreads = new Spreads();
  const measured: Yield = { trajectories: 0, segments: 0 };
  const kept: Yield = { trajectories: 0, segments: 0 };

  function tally(verdict: Verdict): string[] {
    const failed = failuresIn(verdict);
    const rejectedBy = [...new Set(failed.flatMap(({ filter, action }) => (rejecting(action) ? [filter] : [])))];
    const all = new Set(failed.map(({ filter }) => filter));
    for (const name of all) {
      const one = tallies.get(name);
      if (one === undefined) continue;
      one.fails += 1;
      if (rejectedBy.includes(name)) one.rejects += 1;
      if (rejectedBy.length === 1 && rejectedBy[0] === name) one.only += 1;
      if (failed.some(({ filter, action }) => filter === name && action === "drop-last")) one.dropsLast += 1;
    }
    for (const [index, first] of rejectedBy.entries())
      for (const second of rejectedBy.slice(index + 1)) {
        const key = [first, second].sort((a, b) => names.indexOf(a) - names.indexOf(b)).join(" ");
        const pair = pairs.get(key) ?? { together: 0, only: 0 };
        pairs.set(key, { together: pair.together + 1, only: pair.only + (rejectedBy.length === 2 ? 1 : 0) });
      }
    return rejectedBy;
  }

  return {
    add(id, metrics) {
      const verdict = judgeMetrics(metrics, limits);
      const rejectedBy = tally(verdict);
      const left = segmentsLeft(verdict);
      // Where dropping is asked for, filters hang together: each threshold's turning value says all, and no filter counts as a rival.
      const asksToDrop = failuresIn(verdict).some(({ filter }) => drops.has(filter));
      const rivals = asksToDrop ? [] : rejectedBy;
      measured.trajectories += 1;
      measured.segments += metrics.segments.length;
      if (verdict.context.keep) kept.trajectories += 1;
      if (verdict.context.keep) kept.segments += left;
      segments.push(left);
      rejectCounts.push(rivals.length);
      for (const [name, column] of rejects) column.push(rivals.includes(name) ? 1 : 0);
      for (const [index, probe] of probes.entries()) {
        const others = rejectedBy.some((name) => name !== probe.threshold.filter);
        turning.get(probe.threshold.name)?.push(asksToDrop ? turningWhereDropped(probe, metrics) : turningValue(probe, metrics));
        watches[index]?.add(id, metrics, worstSeen(probe, metrics), others);
        if (rejectedBy.length === 0)
          for (const value of segmentValues.has(probe.threshold.name) ? costlyValues(probe, metrics, verdict) : [])
            segmentValues.get(probe.threshold.name)?.push(value);
      }
      spreads.add(metrics);
    },
    gathered: () => ({
      limits,
      probes,
      size: measured.trajectories,
      segments,
      rejects,
      rejectCounts,
      turning,
      segmentValues,
      measured,
      kept,
      spreads,
      filters: Object.entries<Filter>(filters).map(([name, filter]) => ({
        filter: name,
        threshold: filter.limit,
        action: actionOf(name, filter, limits.actions),
        ...(tallies.get(name) ?? new Tally()),
      })),
      overlaps: [...pairs]
        .map(([key, counts]): Overlap => {
          const [first = "", second = ""] = key.split(" ");
          return { filters: [first, second], ...counts };
        })
        .sort((a, b) => b.together - a.together || (a.filters.join(" ") < b.filters.join(" ") ? -1 : 1)),
      borders: watches.flatMap((watch) => watch.border() ?? []),
      borderMetrics: new Map(watches.flatMap((watch) => watch.metrics())),
    }),
  };
}
