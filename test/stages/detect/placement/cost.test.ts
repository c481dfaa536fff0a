import fc from "fast-check";
import { expect, test } from "vitest";
import { costsOf } from "../../../../stages/detect/placement/cost.ts";
import { arbitraryProblem, equal, problem, slowCost } from "./problems.ts";

test("an interval's cost is the sum of its calls, so that a placement's is the sum of its intervals", () => {
  fc.assert(
    fc.property(arbitraryProblem, fc.array(fc.integer({ min: 1, max: 11 }), { maxLength: 5 }), (own, drawn) => {
      const legal = (cut: number): boolean => cut > own.limits.keepSteps && cut < own.replies.length;
      const cuts = [...new Set(drawn)].filter(legal).sort((a, b) => a - b);
      expect(costsOf(own).total(cuts)).toBeCloseTo(slowCost(own, cuts), 6);
    }),
    { seed: 61, numRuns: 1_000 },
  );
});

test("without calls every prompt token but the new ones is cached", () => {
  const own = problem({
    steps: [50, 60],
    replies: [6, 7],
    terms: { prices: { cachedInput: 0.1, output: 5, condenserInput: 1, condenserOutput: 5 } },
  });
  // Prompts 103 and 153; the second begins with the first.
  expect(costsOf(own).total([])).toBeCloseTo(103 + 0.1 * 103 + 50 + 5 * (6 + 7));
});

test("a fold pays for the condenser and for the cache it loses", () => {
  const steps = equal(8);
  const costs = costsOf(problem({ steps }));
  const free = costsOf(problem({ steps, terms: { prices: { cachedInput: 0.1, output: 5, condenserInput: 0, condenserOutput: 0 } } }));
  expect(costs.total([5])).toBeGreaterThan(free.total([5]));
  expect(free.total([5])).toBeGreaterThan(costs.total([])); // too short a run for a fold to pay
});

test("long runs get cheaper by folding", () => {
  const own = problem({
    steps: equal(200, 500),
    memoryCapTokens: 2_000,
    terms: { prices: { cachedInput: 0.1, output: 5, condenserInput: 1, condenserOutput: 5 } },
  });
  expect(costsOf(own).total([50, 100, 150])).toBeLessThan(0.7 * costsOf(own).total([]));
});
