import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { explain, regretOf } from "../../../../stages/detect/placement/explain.ts";
import { optimum } from "../../../../stages/detect/placement/optimum.ts";
import { arbitraryProblem, equal, problem, slowCost, slowWorth } from "./problems.ts";

describe("why a cut was chosen", () => {
  test("a replacement is the best other place, by trying them all, and never better than what was chosen", () => {
    let compared = 0;
    fc.assert(
      fc.property(arbitraryProblem, (own) => {
        const placed = optimum(own);
        if (!placed.ok) return;
        const { value } = placed;
        for (const [index, report] of explain(own, value).entries()) {
          const losses: number[] = [];
          for (
            let cut = (value.cuts[index - 1] ?? own.limits.keepSteps) + 1;
            cut < (value.cuts[index + 1] ?? own.replies.length);
            cut += 1
          ) {
            if (cut === report.cut) continue;
            const worth = slowWorth(own, value.cuts.with(index, cut));
            if (worth !== null && worth.crowded <= value.crowded) losses.push(value.objective - worth.objective);
          }
          expect(report.replacement === null).toBe(losses.length === 0);
          if (report.replacement !== null) {
            compared += 1;
            expect(report.replacement.loss).toBeCloseTo(Math.min(...losses), 9);
            // A place that is less crowded would have been chosen.
            expect(report.replacement.loss).toBeGreaterThan(-1e-9);
          }
        }
      }),
      { seed: 81, numRuns: 1_000, endOnFailure: true },
    );
    expect(compared).toBeGreaterThan(200);
  });

  test("what a call saves is what the trajectory would cost without it", () => {
    fc.assert(
      fc.property(arbitraryProblem, (own) => {
        const placed = optimum(own);
        if (!placed.ok) return;
        for (const [index, report] of explain(own, placed.value).entries()) {
          const rest = placed.value.cuts.toSpliced(index, 1);
          expect(report.savesTokens).toBeCloseTo(slowCost(own, rest) - slowCost(own, placed.value.cuts), 6);
          expect(report.needed).toBe(slowWorth(own, rest) === null);
        }
      }),
      { seed: 82, numRuns: 500 },
    );
  });
});

describe("regret", () => {
  test("is nothing where a rule makes the very same calls, and never negative", () => {
    const own = problem({ steps: equal(20), scores: { 8: 1, 15: 0.9 } });
    const placed = optimum(own);
    if (!placed.ok) throw new Error("infeasible");
    expect(regretOf(own, placed.value, own.scores)).toMatchObject({ regret: 0, calls: 2 });
    fc.assert(
      fc.property(arbitraryProblem, (drawn) => {
        const best = optimum(drawn);
        if (best.ok) expect(regretOf(drawn, best.value, drawn.scores)?.regret ?? 0).toBeGreaterThanOrEqual(0);
      }),
      { seed: 83, numRuns: 500 },
    );
  });

  test("a cut that only hindsight speaks for is what the past-only rules miss", () => {
    const own = problem({ steps: equal(20), scores: { 8: 1 } });
    const placed = optimum(own);
    if (!placed.ok) throw new Error("infeasible");
    expect(regretOf(own, placed.value, equal(20, 0))?.regret).toBeCloseTo(0.5);
  });
});
