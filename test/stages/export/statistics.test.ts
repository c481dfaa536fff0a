import fc from "fast-check";
import { expect, test } from "vitest";
import type { Metrics } from "../../../schemas/metrics.ts";
import { Stats } from "../../../schemas/stats.ts";
import { createStatistics } from "../../../stages/export/statistics.ts";
import { statsMarkdown, statsTable } from "../../../stages/export/statistics-table.ts";
import { smallBundle, smallRecipe } from "./small-bundles.ts";

const metricsWith = (base: Metrics, steps: number, prompts: number[] | null): Metrics => ({
  ...base,
  trajectory: { ...base.trajectory, steps, promptTokensPerCall: prompts },
});
const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b);
  return ((sorted[Math.floor((sorted.length - 1) / 2)] ?? 0) + (sorted[Math.floor(sorted.length / 2)] ?? 0)) / 2;
};

test("medians, means and maxima are exact", async () => {
  const { metrics } = await smallBundle(smallRecipe());
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.integer({ min: 1, max: 9 }), fc.array(fc.nat(20))), { minLength: 1 }), (runs) => {
      const statistics = createStatistics();
      for (const [steps, prompts] of runs) statistics.add(metricsWith(metrics, steps, prompts));
      const { run } = Stats.parse(statistics.stats());
      const [steps, prompts] = [runs.map(([count]) => count), runs.flatMap(([, tokens]) => tokens)];
      expect(run.steps?.median).toBe(median(steps));
      expect(run.steps?.max).toBe(Math.max(...steps));
      expect(run.steps?.mean).toBeCloseTo(steps.reduce((a, b) => a + b, 0) / steps.length, 5);
      expect(run.tokensPerStep?.median ?? null).toBe(prompts.length === 0 ? null : median(prompts));
      expect(run.stepsWithCalls?.max).toBe(Math.max(...steps) + 2);
    }),
  );
});

test("a real trajectory's calls and blocks are counted", async () => {
  const { metrics } = await smallBundle(smallRecipe());
  const statistics = createStatistics();
  statistics.add(metrics);
  const { run } = statistics.stats();
  expect(run).toMatchObject({ trajectories: 1, contextCalls: { mean: 2, median: 2, max: 2 }, stepsWithCalls: { max: 10 } });
  const [first, second] = metrics.blocks;
  expect(run.fold.ratio).toBeCloseTo(((first?.foldRatio ?? 0) + (second?.foldRatio ?? 0)) / 2, 5);
  expect(run.wholeWindow.tokensBefore).toBe(((first?.windowTokensBefore ?? 0) + (second?.windowTokensBefore ?? 0)) / 2);
});

test("no trajectory at all gives nulls and a table with dashes", () => {
  const stats = Stats.parse(createStatistics().stats());
  expect(stats.run).toMatchObject({
    trajectories: 0,
    steps: null,
    tokensPerStep: null,
    fold: { tokensBefore: null, tokensAfter: null, ratio: null },
  });
  expect(statsTable(stats)).toContain("tokens per step, median                     10,875         -");
});

test("table and Markdown state the paper's numbers beside the run's", async () => {
  const statistics = createStatistics();
  statistics.add((await smallBundle(smallRecipe())).metrics);
  const stats = statistics.stats();
  const lines = statsTable(stats).trimEnd().split("\n");
  expect(new Set(lines.map((line) => line.length)).size).toBe(1);
  expect(statsMarkdown(stats)).toContain("| context calls per trajectory, mean | 4.22 | 2 |");
  expect(statsMarkdown(stats)).toContain("| tokens per step, max | 65,536 |");
});
