import { describe, expect, test } from "vitest";
import { countsIn, polarityOf } from "../../../../stages/lib/checks/claims.ts";

describe("what a clause says of an outcome", () => {
  test.each([
    ["all tests pass", "passed"],
    ["the suite is green", "passed"],
    ["`pytest -x` failed", "failed"],
    ["no tests failed", "passed"],
    ["does not pass", "failed"],
    ["no successful reproduction", "failed"],
    ["runs without errors, all passing", "passed"],
    ["`node --test`: # fail 0", "passed"],
    ["FAILED (failures=2)", "failed"],
    ["after a failed `_sympify` it returns NotImplemented", null],
    ["3 passed, 2 failed", null],
    ["`test_failed` was renamed", null],
  ] as const)("%s: %s", (clause, polarity) => {
    expect(polarityOf(clause)).toBe(polarity);
  });

  test("counts are read as digits and as words, and only where each is stated once", () => {
    expect(countsIn("12 passed, 1 failed")).toEqual({ passed: 12, failed: 1 });
    expect(countsIn("two tests fail")).toEqual({ passed: null, failed: 2 });
    expect(countsIn("3 of 5 tests pass")).toBeNull();
    expect(countsIn("it works")).toBeNull();
  });
});
