import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { optimum, worthOf } from "../../../../stages/detect/placement/optimum.ts";
import type { Problem } from "../../../../stages/detect/placement/problem.ts";
import { allPlacements, arbitraryProblem, equal, problem, type Setting, shorter, slowWorth } from "./problems.ts";

const cutsOf = (setting: Setting): readonly number[] | string => {
  const placed = optimum(problem(setting));
  return placed.ok ? placed.value.cuts : `${placed.because} at step ${placed.step + 1}`;
};

/** The best of all placements, tried one by one. */
function bruteForce(own: Problem): { crowded: number; objective: number } | null {
  let best: { crowded: number; objective: number } | null = null;
  for (const cuts of allPlacements(own)) {
    const worth = slowWorth(own, cuts);
    if (worth === null) continue;
    if (best === null || worth.crowded < best.crowded || (worth.crowded === best.crowded && worth.objective > best.objective)) best = worth;
  }
  return best;
}

describe("the optimum", () => {
  test("is what trying every placement finds, whatever binds", { timeout: 120_000 }, () => {
    const bound = { window: 0, infeasible: 0, gapOrFold: 0, calls: 0, cost: 0, crowded: 0 };
    fc.assert(
      fc.property(arbitraryProblem, (own) => {
        const placed = optimum(own);
        const best = bruteForce(own);
        if (best === null || !placed.ok) {
          expect(placed.ok).toBe(best !== null);
          bound.infeasible += 1;
          return;
        }
        expect(placed.value.crowded).toBe(best.crowded);
        expect(placed.value.objective).toBeCloseTo(best.objective, 9);
        expect(slowWorth(own, placed.value.cuts)?.objective).toBeCloseTo(best.objective, 9);
        const without = (change: Partial<Problem["limits"]>) => JSON.stringify(optimum({ ...own, limits: { ...own.limits, ...change } }));
        const chosen = JSON.stringify(placed);
        if (without({ windowTokens: 1e9 }) !== chosen) bound.window += 1;
        if (without({ minGapSteps: 1, minFoldTokens: 1 }) !== chosen) bound.gapOrFold += 1;
        if (without({ maxCalls: null }) !== chosen) bound.calls += 1;
        if (JSON.stringify(optimum({ ...own, terms: { ...own.terms, costWeight: 0 } })) !== chosen) bound.cost += 1;
        if (placed.value.crowded > 0) bound.crowded += 1;
      }),
      { seed: 51, numRuns: 6_000, endOnFailure: true },
    );
    for (const [constraint, cases] of Object.entries(bound)) expect(cases, constraint).toBeGreaterThan(50);
  });

  test("takes the cuts that are worth their price, and none that is not", () => {
    expect(cutsOf({ steps: equal(12), scores: { 5: 0.6, 9: 0.4 } })).toEqual([5]);
    expect(cutsOf({ steps: equal(12), scores: { 5: 0.5 } })).toEqual([]);
    expect(cutsOf({ steps: equal(12) })).toEqual([]);
    expect(cutsOf({ steps: [50] })).toEqual([]);
  });

  test("gives up a good cut where two others are worth more together", () => {
    expect(cutsOf({ steps: equal(14), scores: { 5: 0.9, 7: 1, 9: 0.9 }, limits: { minGapSteps: 4 } })).toEqual([5, 9]);
  });

  test("makes a call for its saving alone when tokens weigh enough", () => {
    const run = { steps: equal(60, 500), limits: { minGapSteps: 8 } };
    expect(cutsOf({ ...run, terms: { callPrice: 0.5, costWeight: 0.5 } })).toEqual([]);
    expect(cutsOf({ ...run, terms: { callPrice: 0.5, costWeight: 10 } }).length).toBeGreaterThan(1);
  });

  test("keeps within the bound on calls, and takes the best within it", () => {
    const scores = { 4: 0.8, 8: 1, 12: 0.9 };
    expect(cutsOf({ steps: equal(20), scores, limits: { maxCalls: 2 } })).toEqual([8, 12]);
    expect(cutsOf({ steps: equal(20), scores })).toEqual([4, 8, 12]);
  });
});

describe("the window", () => {
  // 20 steps of 50 tokens: head and all before the last step are 100 + 950 + 3, the reply reserve is 50.
  const tight = { windowTokens: 800, replyTokens: 50, keepSteps: 2 };

  test("forces a call exactly when the steps would not fit without", () => {
    expect(cutsOf({ steps: equal(20), limits: { ...tight, windowTokens: 1103 } })).toEqual([]);
    expect(cutsOf({ steps: equal(20), limits: { ...tight, windowTokens: 1102 } })).toHaveLength(1);
  });

  test("gap and fold give way before the trajectory does, and as rarely as can be", () => {
    for (const limits of [{ minFoldTokens: 100_000 }, { minGapSteps: 100 }]) {
      const placed = optimum(problem({ steps: equal(20), limits: { ...tight, ...limits }, scores: { 5: 1, 9: 1, 13: 1 } }));
      expect(placed.ok && placed.value.crowded).toBe(placed.ok && placed.value.cuts.length);
      expect(placed.ok && placed.value.cuts.length).toBe(2);
    }
  });

  test("names the step that no placement reaches", () => {
    expect(cutsOf({ steps: [50, 50, 50, 50, 900, 50, 50], limits: tight })).toBe("window at step 6");
    expect(cutsOf({ steps: [50], limits: { windowTokens: 1024, replyTokens: 1000 } })).toBe("window at step 1");
    expect(cutsOf({ steps: equal(40), limits: { ...tight, maxCalls: 1 } })).toMatch(/^max-calls at step \d+$/);
  });

  test("the step that is named is the first that cannot be reached: one step less, and it can", () => {
    fc.assert(
      fc.property(arbitraryProblem, (own) => {
        const placed = optimum(own);
        if (placed.ok) return;
        if (placed.step > 0) expect(optimum(shorter(own, placed.step)).ok).toBe(true);
        expect(optimum(shorter(own, placed.step + 1)).ok).toBe(false);
      }),
      { seed: 52, numRuns: 600, endOnFailure: true },
    );
  });

  test("makes room for a reply that is longer than the reserve", () => {
    const limits = { ...tight, windowTokens: 703 };
    expect(cutsOf({ steps: equal(12), limits })).toEqual([]);
    expect(cutsOf({ steps: equal(12), replies: equal(12, 6).with(11, 51), limits })).toHaveLength(1);
  });
});

test("a worth is what the definitions say, call by call", () => {
  fc.assert(
    fc.property(arbitraryProblem, fc.array(fc.integer({ min: 1, max: 11 }), { maxLength: 4 }), (own, drawn) => {
      const legal = (cut: number): boolean => cut > own.limits.keepSteps && cut < own.replies.length;
      const cuts = [...new Set(drawn)].filter(legal).sort((a, b) => a - b);
      const [fast, slow] = [worthOf(own, cuts), slowWorth(own, cuts)];
      expect(fast === null).toBe(slow === null);
      expect(fast?.crowded).toBe(slow?.crowded);
      if (fast !== null) expect(fast.objective).toBeCloseTo(slow?.objective ?? Number.NaN, 9);
    }),
    { seed: 53, numRuns: 1_500 },
  );
});
