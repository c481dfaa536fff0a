import type { Curve, PairGrid, Suggestion, Yield } from "../../../schemas/analysis.ts";
import type { Gathered } from "./collect.ts";
import { Column, countBelow, percentile } from "./column.ts";
import { limitOf, type Probe, passes, type Threshold } from "./thresholds.ts";

/** Percentiles of the trajectories' own values at which a table asks. */
const tableShares = [0, 0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 1];
const pairShares = [0, 0.1, 0.25, 0.5, 0.75, 0.9, 1];

/** Trajectories that no filter but these rejects. */
function freeOf(gathered: Gathered, ...filters: readonly string[]): number[] {
  const columns = filters.map((filter) => gathered.rejects.get(filter));
  const free: number[] = [];
  for (let index = 0; index < gathered.size; index += 1)
    if (gathered.rejectCounts.at(index) === columns.reduce((sum, column) => sum + (column?.at(index) ?? 0), 0)) free.push(index);
  return free;
}

const turningOf = (gathered: Gathered, { name }: Threshold): Column => gathered.turning.get(name) ?? new Column();
const valuesOf = (gathered: Gathered, threshold: Threshold): Float64Array =>
  (gathered.segmentValues.get(threshold.name) ?? turningOf(gathered, threshold)).sorted();

const distinct = (values: readonly number[]): number[] =>
  [...new Set(values.filter((value) => !Number.isNaN(value)))].sort((a, b) => a - b);

/** Answers, for any value of one threshold, what would be kept with everything else as it is. */
export function mover(gathered: Gathered, { threshold }: Probe): (limit: number) => Yield {
  const turning = turningOf(gathered, threshold);
  const free = freeOf(gathered, threshold.filter);
  const always: Yield = { trajectories: 0, segments: 0 };
  const hanging: { value: number; segments: number }[] = [];
  for (const index of free) {
    const [value, segments] = [turning.at(index), gathered.segments.at(index)];
    if (!Number.isNaN(value)) hanging.push({ value, segments });
    else {
      always.trajectories += 1;
      always.segments += segments;
    }
  }
  hanging.sort((a, b) => a.value - b.value);
  const values = Float64Array.from(hanging, ({ value }) => value);
  const upTo = new Float64Array(hanging.length + 1);
  for (const [index, { segments }] of hanging.entries()) upTo[index + 1] = (upTo[index] ?? 0) + segments;
  const single = singleSegments(gathered, threshold);
  return (limit) => {
    const below = countBelow(values, limit, threshold.bound === "max");
    const inMax = threshold.bound === "max";
    return {
      trajectories: always.trajectories + (inMax ? below : values.length - below),
      segments: always.segments + (inMax ? (upTo[below] ?? 0) : (upTo[hanging.length] ?? 0) - (upTo[below] ?? 0)) + single(limit),
    };
  };
}

/** Segments that a filter which costs single ones gives back, against those it costs now. */
function singleSegments(gathered: Gathered, threshold: Threshold): (limit: number) => number {
  const values = gathered.segmentValues.get(threshold.name)?.sorted();
  if (values === undefined) return () => 0;
  const kept = (limit: number | null): number => {
    if (limit === null) return values.length;
    const below = countBelow(values, limit, threshold.bound === "max");
    return threshold.bound === "max" ? below : values.length - below;
  };
  const now = kept(limitOf(gathered.limits, threshold));
  return (limit) => kept(limit) - now;
}

export function curveOf(gathered: Gathered, probe: Probe, shares: readonly number[] = tableShares): Curve {
  const { threshold } = probe;
  const limit = limitOf(gathered.limits, threshold);
  const values = valuesOf(gathered, threshold);
  const asked = distinct([
    ...(values.length === 0 ? [] : shares.map((share) => percentile(values, share))),
    ...(limit === null ? [] : [limit]),
  ]);
  const keptAt = mover(gathered, probe);
  return { threshold: threshold.name, filter: threshold.filter, limit, values: asked.map((value) => ({ value, kept: keptAt(value) })) };
}

/** Trajectories kept as two thresholds move together; where a filter would drop the last call, each is taken as if it alone did. */
export function pairGrid(gathered: Gathered, first: Probe, second: Probe): PairGrid {
  const [a, b] = [turningOf(gathered, first.threshold), turningOf(gathered, second.threshold)];
  const free = freeOf(gathered, ...new Set([first.threshold.filter, second.threshold.filter]));
  const asked = ({ threshold }: Probe): number[] => {
    const values = turningOf(gathered, threshold).sorted();
    const limit = limitOf(gathered.limits, threshold);
    return distinct([
      ...(values.length === 0 ? [] : pairShares.map((share) => percentile(values, share))),
      ...(limit === null ? [] : [limit]),
    ]);
  };
  const [rows, columns] = [asked(first), asked(second)];
  const keeps = ({ threshold }: Probe, value: number, limit: number): boolean => Number.isNaN(value) || passes(threshold, value, limit);
  const kept = rows.map((row) => {
    const left = free.filter((index) => keeps(first, a.at(index), row));
    return columns.map((column) => left.filter((index) => keeps(second, b.at(index), column)).length);
  });
  return { thresholds: [first.threshold.name, second.threshold.name], rows, columns, kept };
}

/** Three significant digits, towards the looser side: what a person writes into a recipe, and keeps no fewer. */
function rounded(value: number, { bound }: Threshold, whole: boolean): number {
  const unit = 10 ** (Math.floor(Math.log10(Math.abs(value) || 1)) - 2);
  const step = whole ? Math.max(1, unit) : unit;
  const steps = value / step;
  const near = Math.abs(steps - Math.round(steps)) < 1e-9 ? Math.round(steps) : bound === "min" ? Math.floor(steps) : Math.ceil(steps);
  return Number((near * step).toPrecision(12));
}

const cutSteps = 10_000;

/**
 * Thresholds that keep the wanted share of all measured trajectories. One number, the cut share q, moves them together: each that is on is set
 * where the share q of the trajectories that nothing else rejects is beyond it; the largest q (in steps of 0.0001) that still keeps
 * enough is taken. So no measure is squeezed more than another, and the same metrics give the same thresholds. `moved`: which ones move;
 * null: those over single calls, which speak of quality, while lengths and numbers of calls choose a population.
 */
export function suggest(gathered: Gathered, wanted: number, moved: readonly string[] | null): Suggestion {
  const active = gathered.probes.filter(({ threshold, filter, action }) => {
    const wantedToMove = moved === null ? filter.scope === "block" : moved.includes(threshold.name);
    return wantedToMove && limitOf(gathered.limits, threshold) !== null && action !== "flag" && action !== "reject-sample";
  });
  const free = freeOf(gathered, ...active.map(({ threshold }) => threshold.filter));
  const columns = active.map((probe) => {
    const turning = turningOf(gathered, probe.threshold);
    const own = new Column();
    for (const index of free) own.push(turning.at(index));
    const values = own.sorted();
    return { probe, turning, values, whole: values.every(Number.isInteger) };
  });
  const limitsAt = (cut: number): (number | null)[] =>
    columns.map(({ probe: { threshold }, values, whole }) => {
      if (values.length === 0) return null;
      const beyond = Math.floor((cut / cutSteps) * values.length);
      const value = values[threshold.bound === "min" ? Math.min(beyond, values.length - 1) : Math.max(0, values.length - 1 - beyond)] ?? 0;
      return rounded(value, threshold, whole);
    });
  const keptBy = (limits: readonly (number | null)[]): number =>
    free.filter((index) =>
      columns.every(({ probe, turning }, at) => {
        const [value, limit] = [turning.at(index), limits[at] ?? null];
        return Number.isNaN(value) || limit === null || passes(probe.threshold, value, limit);
      }),
    ).length;
  const enough = wanted * gathered.size;
  let [low, high] = [0, cutSteps];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (keptBy(limitsAt(middle)) >= enough) low = middle;
    else high = middle - 1;
  }
  const limits = limitsAt(low);
  const share = (count: number): number => (gathered.size === 0 ? 0 : Math.round((count / gathered.size) * 1e6) / 1e6);
  return {
    wanted,
    kept: share(keptBy(limits)),
    reachable: share(
      free.filter((index) => columns.every(({ turning }) => Number.isNaN(turning.at(index)) || Number.isFinite(turning.at(index)))).length,
    ),
    cutShare: low / cutSteps,
    limits: columns.flatMap(({ probe: { threshold } }, index) => {
      const to = limits[index] ?? null;
      return to === null ? [] : [{ threshold: threshold.name, from: limitOf(gathered.limits, threshold), to }];
    }),
  };
}
