import fc from "fast-check";
import { expect, test } from "vitest";
import { type AnalysisView, analysisText } from "../../../pipeline/commands/analyze-text.ts";
import { Analysis } from "../../../schemas/analysis.ts";
import { FilterRecipe } from "../../../schemas/recipe/filter.ts";
import { createGathering } from "../../../stages/filter/analysis/collect.ts";
import { curveOf } from "../../../stages/filter/analysis/what-if.ts";
import { arbitraryMetrics } from "../../fakes/arbitrary-metrics.ts";

/** As many trajectories as the public ones, with every kind of value, under limits that some of them fail. */
function invented(): Analysis {
  const gathering = createGathering({ ...FilterRecipe.parse({ minSteps: 20, maxUngroundedShare: 0.05 }), windowTokens: 1900 });
  for (const [index, metrics] of fc.sample(arbitraryMetrics, { seed: 5, numRuns: 119 }).entries()) gathering.add(`t/${index}`, metrics);
  const { measured, kept, spreads, filters, overlaps, probes, borders, ...rest } = gathering.gathered();
  return Analysis.parse({
    run: "mine",
    verdict: "strict",
    shards: { measured: 1, missing: 0 },
    measured,
    kept,
    measures: spreads.spreads(),
    counts: spreads.countsOf(),
    filters,
    overlaps,
    curves: probes.map((probe) => curveOf({ measured, kept, spreads, filters, overlaps, probes, borders, ...rest }, probe)),
    borders: borders.map(({ threshold, limit }) => ({ threshold, limit, passes: [], fails: [] })),
    pair: null,
    suggestion: null,
    selection: null,
    plot: "report/analyze.svg",
  });
}

const analysis = invented();
const printed = (view: Partial<AnalysisView> = {}): string =>
  analysisText(analysis, { all: false, measures: false, thresholds: [], ...view });
const lines = (text: string): number => text.split("\n").length;

test("unasked, it is one screen: what each filter takes, and how to see more", () => {
  const text = printed();
  expect(lines(text)).toBeLessThan(60);
  for (const { filter, fails } of analysis.filters) expect(text.includes(`\n${filter} `), filter).toBe(fails > 0);
  expect(text).toContain("more: catgen analyze --run mine --verdict strict with\n  --threshold m");
  for (const option of ["--measures", "--suggest keep=0.4", "--all"]) expect(text).toContain(`\n  ${option} `);
  expect(text).not.toContain("as it is)");
});

test("a threshold that is asked for is shown at other values, alone", () => {
  const text = printed({ thresholds: ["minSteps"] });
  expect(text).toContain("\nminSteps (too-few-steps), now 20\n");
  expect(text).toMatch(/\n\* 20 +\d+ +[\d.]+ % +\d+\n/);
  expect(text).toContain("\nminSteps 20\n");
  expect(text).not.toContain("maxUngroundedShare (");
});

test("measures are shown on demand, and everything with --all", () => {
  expect(printed({ measures: true })).toContain("\nblocks.foldRatio ");
  const all = printed({ all: true });
  expect(lines(all)).toBeGreaterThan(300);
  for (const { threshold } of analysis.curves) expect(all).toContain(`\n${threshold} (`);
  for (const { measure } of analysis.measures) expect(all).toContain(`\n${measure} `);
  for (const { filter, fails } of analysis.filters) if (fails === 0) expect(all).toContain(filter);
});
