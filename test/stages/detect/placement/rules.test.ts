import fc from "fast-check";
import { expect, test } from "vitest";
import { optimum, worthOf } from "../../../../stages/detect/placement/optimum.ts";
import { followRule, noRule, pastOnlyRules, type Rule } from "../../../../stages/detect/placement/rules.ts";
import { arbitraryProblem, equal, problem, shorter } from "./problems.ts";

test("a rule calls when its condition holds, gap after gap", () => {
  const own = problem({ steps: equal(14), scores: { 5: 0.5, 6: 0.9, 12: 0.4 } });
  expect(followRule(own, { ...noRule, everySteps: 4 })).toEqual([4, 8, 12]);
  expect(followRule(own, { ...noRule, everyTokens: 300 })).toEqual([6, 12]);
  expect(followRule(own, { ...noRule, minScore: 0.5 })).toEqual([5]);
  expect(followRule(own, { ...noRule, minScore: 0.4 })).toEqual([5, 12]);
  expect(followRule(own, noRule)).toEqual([]);
});

test("a rule by occupancy calls as soon as the share is taken", () => {
  const own = problem({ steps: equal(14), limits: { windowTokens: 1_000 } });
  // Prompt before step index t: 100 + 50 t.
  expect(followRule(own, { ...noRule, occupancy: 0.5 })?.[0]).toBe(8);
});

test("a rule that lets the window overflow has no placement", () => {
  expect(followRule(problem({ steps: equal(40), limits: { windowTokens: 800 } }), noRule)).toBeNull();
});

test("a rule never makes a crowded call or one too many, and later steps change no earlier call", () => {
  const rules: fc.Arbitrary<Rule> = fc.constantFrom(...pastOnlyRules, { ...noRule, everySteps: 3 }, { ...noRule, everyTokens: 200 });
  fc.assert(
    fc.property(arbitraryProblem, rules, fc.integer({ min: 1, max: 12 }), (own, rule, steps) => {
      const cuts = followRule(own, rule);
      if (cuts === null) return;
      const worth = worthOf(own, cuts);
      expect(worth?.crowded).toBe(0);
      const best = optimum(own);
      expect(best.ok && best.value.objective).toBeGreaterThanOrEqual((worth?.objective ?? 0) - 1e-9);
      expect(followRule(shorter(own, steps), rule)).toEqual(cuts.filter((cut) => cut < steps));
    }),
    { seed: 71, numRuns: 1_000 },
  );
});
