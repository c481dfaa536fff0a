import fc from "fast-check";
import { expect, test } from "vitest";
import { longestLoopSteps, repeatedCallShare } from "../../../../stages/filter/conduct/repeats.ts";
import { conductOfSteps, shellStep } from "../../../fakes/seen.ts";
import { wordStep } from "../../../fakes/steps.ts";

const step = (name: string | number) => shellStep(`cat ${name}`, `text of ${name}`);
const loop = (names: readonly (string | number)[]) => longestLoopSteps(conductOfSteps(names.map(step)));

test("a round counts when it comes a second time as a whole, from one step to six", () => {
  expect(loop(["a", "b", "c"])).toBe(0);
  expect(loop(["x", "a", "a", "a", "y"])).toBe(3);
  expect(loop(["a", "b", "a", "y"])).toBe(0);
  expect(loop(["a", "b", "a", "b", "a", "y"])).toBe(5);
  expect(loop([1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6])).toBe(12);
  expect(loop([1, 2, 3, 4, 5, 6, 7, 1, 2, 3, 4, 5, 6, 7])).toBe(0);
});

test("the longest loop is never longer than the run, and a run of different calls has none", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(3), { minLength: 1, maxLength: 40 }), (names) => {
      expect(loop(names)).toBeLessThanOrEqual(names.length);
      expect(loop(names.map((_, index) => index))).toBe(0);
      expect(loop([...names, ...names].slice(0, 6).flatMap((name) => [name, name]))).toBeGreaterThanOrEqual(2);
    }),
    { seed: 7, numRuns: 100 },
  );
});

test("the same command with another answer is no repeat, and durations are no other answer", () => {
  const run = (answer: string) => shellStep("pytest", answer);
  expect(repeatedCallShare(conductOfSteps([run("1 failed in 0.31s"), run("1 passed in 0.30s")]))).toBe(0);
  expect(repeatedCallShare(conductOfSteps([run("1 passed in 0.31s"), run("1 passed in 12.30s")]))).toBe(0.5);
  expect(repeatedCallShare(conductOfSteps([wordStep("hello", "")]))).toBeNull();
});
