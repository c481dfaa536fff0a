import fc from "fast-check";
import { expect, test } from "vitest";
import { MeasureSpread } from "../../../../schemas/analysis.ts";
import { Spreads } from "../../../../stages/filter/analysis/spreads.ts";
import { arbitraryMetrics } from "../../../fakes/arbitrary-metrics.ts";

test("every number of the metrics is counted under its path, and what is no number by its value", () => {
  fc.assert(
    fc.property(fc.array(arbitraryMetrics, { minLength: 1, maxLength: 20 }), (all) => {
      const spreads = new Spreads();
      for (const metrics of all) spreads.add(metrics);
      const found = new Map(spreads.spreads().map((one) => [one.measure, MeasureSpread.parse(one)]));
      const steps = all.map(({ trajectory }) => trajectory.steps).sort((a, b) => a - b);
      expect(found.get("steps")).toMatchObject({ count: all.length, missing: 0, min: steps[0], max: steps.at(-1) });
      const ratios = all.flatMap(({ blocks }) => blocks.map((block) => block.foldRatio));
      expect(found.get("blocks.foldRatio")?.count ?? 0).toBe(ratios.length);
      const leaks = all.flatMap(({ blocks }) => blocks.filter(({ checks }) => "no-leak" in checks));
      expect(found.get("blocks.checks.no-leak.found")?.count ?? 0).toBe(leaks.length);
      const unknown = all.filter(({ trajectory }) => trajectory.controlTokenTexts === null).length;
      expect(found.get("controlTokenTexts")?.missing ?? unknown).toBe(unknown);
      const counts = new Map(spreads.countsOf().map(({ measure, counts: of }) => [measure, of]));
      expect(counts.get("exit")?.["error"] ?? 0).toBe(all.filter(({ trajectory }) => trajectory.exit === "error").length);
      expect([...found.keys()].some((measure) => measure.includes("promptTokensPerCall"))).toBe(false);
    }),
    { seed: 401, numRuns: 100 },
  );
});
