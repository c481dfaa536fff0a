import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Yield } from "../../../../schemas/analysis.ts";
import type { Metrics } from "../../../../schemas/metrics.ts";
import { FilterRecipe } from "../../../../schemas/recipe/filter.ts";
import type { Verdict } from "../../../../schemas/verdict.ts";
import { createGathering, type Gathered } from "../../../../stages/filter/analysis/collect.ts";
import { whatIfPlot } from "../../../../stages/filter/analysis/plot.ts";
import { limitOf, passes, thresholds, withLimit } from "../../../../stages/filter/analysis/thresholds.ts";
import { curveOf, pairGrid, suggest } from "../../../../stages/filter/analysis/what-if.ts";
import type { Filter, Limits } from "../../../../stages/filter/filters/filter.ts";
import { filters } from "../../../../stages/filter/filters/index.ts";
import { judgeMetrics } from "../../../../stages/filter/judge.ts";
import { arbitraryLimits, arbitraryMetrics } from "../../../fakes/arbitrary-metrics.ts";

const many = fc.array(arbitraryMetrics, { minLength: 1, maxLength: 25 });
const settings = { seed: 201, numRuns: 150 };

function gather(all: readonly Metrics[], limits: Limits): Gathered {
  const gathering = createGathering(limits);
  for (const [index, metrics] of all.entries()) gathering.add(`t/${index}`, metrics);
  return gathering.gathered();
}

const segmentsKept = ({ segments, dropLast }: Verdict): number =>
  segments.filter(({ keep }) => keep).length + (dropLast?.keep === true ? 1 : 0);

/** By judging everything again, as a run would. */
function judged(all: readonly Metrics[], limits: Limits): Yield {
  const verdicts = all.map((metrics) => judgeMetrics(metrics, limits));
  const kept = verdicts.filter((verdict) => verdict.context.keep);
  return { trajectories: kept.length, segments: kept.reduce((sum, verdict) => sum + segmentsKept(verdict), 0) };
}

const neverDrops = (limits: Limits): boolean => !Object.values(limits.actions).includes("drop-last");

test("every threshold of the recipe that is a number can be moved, and is the one its filter holds", () => {
  const numeric = Object.values<Filter>(filters).flatMap(({ limit }) => (limit !== null && /^(min|max)/.test(limit) ? [limit] : []));
  expect(thresholds.map(({ name }) => name).sort()).toEqual(numeric.sort());
  expect(thresholds.length).toBeGreaterThan(5);
});

describe("moving one threshold", () => {
  test("keeps the trajectories that judging again would keep", () => {
    let moved = 0;
    fc.assert(
      fc.property(many, arbitraryLimits, (all, limits) => {
        const gathered = gather(all, limits);
        expect(gathered.kept).toEqual(judged(all, limits));
        for (const probe of gathered.probes)
          for (const { value, kept } of curveOf(gathered, probe).values) {
            moved += 1;
            const again = judged(all, withLimit(limits, probe.threshold, value));
            expect([probe.threshold.name, value, kept.trajectories]).toEqual([probe.threshold.name, value, again.trajectories]);
          }
      }),
      settings,
    );
    expect(moved).toBeGreaterThan(1000);
  });

  test("and the segments, where no call is dropped", () => {
    fc.assert(
      fc.property(many, arbitraryLimits.filter(neverDrops), (all, limits) => {
        const gathered = gather(all, limits);
        for (const probe of gathered.probes)
          for (const { value, kept } of curveOf(gathered, probe).values)
            expect([probe.threshold.name, value, kept]).toEqual([
              probe.threshold.name,
              value,
              judged(all, withLimit(limits, probe.threshold, value)),
            ]);
      }),
      settings,
    );
  });
});

test("moving two keeps what judging again would keep", () => {
  fc.assert(
    fc.property(many, arbitraryLimits.filter(neverDrops), fc.nat(), fc.nat(), (all, limits, a, b) => {
      const gathered = gather(all, limits);
      const [first, second] = [gathered.probes[a % gathered.probes.length], gathered.probes[b % gathered.probes.length]];
      if (first === undefined || second === undefined || first === second) return;
      const grid = pairGrid(gathered, first, second);
      for (const [row, one] of grid.rows.entries())
        for (const [column, other] of grid.columns.entries())
          expect(grid.kept[row]?.[column]).toBe(
            judged(all, withLimit(withLimit(limits, first.threshold, one), second.threshold, other)).trajectories,
          );
    }),
    { ...settings, numRuns: 60 },
  );
});

test("a filter's own count is what comes back when it is switched off", () => {
  fc.assert(
    fc.property(many, arbitraryLimits.filter(neverDrops), (all, limits) => {
      const gathered = gather(all, limits);
      for (const threshold of thresholds) {
        const report = gathered.filters.find(({ filter }) => filter === threshold.filter);
        const back = judged(all, withLimit(limits, threshold, null)).trajectories - gathered.kept.trajectories;
        expect([threshold.name, report?.only]).toEqual([threshold.name, back]);
      }
      for (const { filters: pair, together, only } of gathered.overlaps) {
        const of = (name: string): number => gathered.filters.find(({ filter }) => filter === name)?.rejects ?? 0;
        expect(together).toBeLessThanOrEqual(Math.min(of(pair[0]), of(pair[1])));
        expect(only).toBeLessThanOrEqual(together);
      }
    }),
    settings,
  );
});

describe("a suggestion", () => {
  const limits: Limits = {
    ...FilterRecipe.parse({ outcome: null, exits: null, maxFoldRatio: 0.7, minFoldTokens: 1000 }),
    windowTokens: 65_536,
  };
  const good = fc.sample(arbitraryMetrics, { seed: 5, numRuns: 400 });

  test("keeps the wanted share, by judging again, and hardly more; a smaller one never by looser thresholds", () => {
    const gathered = gather(good, limits);
    let before: ReturnType<typeof suggest> | null = null;
    for (const wanted of [0.2, 0.1, 0.05, 0.02]) {
      const found = suggest(gathered, wanted, null);
      let asked = limits;
      for (const { threshold: name, to } of found.limits) {
        const threshold = thresholds.find((one) => one.name === name);
        if (threshold === undefined) throw new Error(name);
        asked = withLimit(asked, threshold, to);
        const earlier = before?.limits.find((one) => one.threshold === name)?.to;
        if (earlier !== undefined) expect(passes(threshold, to, earlier)).toBe(true);
      }
      expect(judged(good, asked).trajectories / good.length).toBeCloseTo(found.kept, 5);
      if (found.reachable >= wanted) expect(found.kept).toBeGreaterThanOrEqual(wanted);
      before = found;
    }
    expect(before?.limits.map(({ threshold }) => threshold)).toEqual([
      "minFoldTokens",
      "minFoldRatio",
      "maxFoldRatio",
      "maxUngroundedShare",
    ]);
  });

  test("is the same again, in whatever order the trajectories come", () => {
    expect(suggest(gather([...good].reverse(), limits), 0.1, null)).toEqual(suggest(gather(good, limits), 0.1, null));
  });

  test("says what can be reached when the other filters leave less than wanted", () => {
    const found = suggest(gather(good, { ...limits, minSteps: 10_000 }), 0.5, null);
    expect([found.reachable, found.kept]).toEqual([0, 0]);
  });

  test("moves the thresholds that are named, among those that are on", () => {
    const found = suggest(gather(good, limits), 0.1, ["maxSteps", "minSteps"]);
    expect(found.limits.map(({ threshold }) => threshold)).toEqual(["maxSteps"]);
  });
});

test("cases at the border stand on their side of the threshold, nearest first, and nothing else rejects them", () => {
  fc.assert(
    fc.property(many, arbitraryLimits, (all, limits) => {
      for (const { threshold: name, limit, passes: inside, fails } of gather(all, limits).borders) {
        const threshold = thresholds.find((one) => one.name === name);
        if (threshold === undefined) throw new Error(name);
        expect(limit).toBe(limitOf(limits, threshold));
        expect(inside.every(({ value }) => passes(threshold, value, limit))).toBe(true);
        expect(fails.every(({ value }) => !passes(threshold, value, limit))).toBe(true);
        for (const side of [inside, fails]) {
          const distances = side.map(({ value }) => Math.abs(value - limit));
          expect(distances).toEqual([...distances].sort((a, b) => a - b));
          expect(side.length).toBeLessThanOrEqual(3);
          for (const { evidence } of side) expect(evidence.at(-1)).toMatch(/^run: /);
        }
      }
    }),
    settings,
  );
});

test("the plot is the same again and names every threshold", () => {
  const gathered = gather(fc.sample(arbitraryMetrics, { seed: 6, numRuns: 50 }), { ...FilterRecipe.parse({}), windowTokens: 1024 });
  const plot = whatIfPlot(gathered, "a<b");
  expect(plot).toBe(whatIfPlot(gathered, "a<b"));
  expect(plot).toContain("a&lt;b");
  for (const { name } of thresholds) expect(plot).toContain(`>${name}<`);
  expect(plot).not.toMatch(/NaN|Infinity|undefined/);
  expect(whatIfPlot(gather([], { ...FilterRecipe.parse({}), windowTokens: 1024 }), "empty")).not.toMatch(/NaN|Infinity|undefined/);
});
