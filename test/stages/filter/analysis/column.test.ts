import fc from "fast-check";
import { expect, test } from "vitest";
import { Column, countBelow, percentile } from "../../../../stages/filter/analysis/column.ts";

const values = fc.array(fc.double({ noNaN: false }), { maxLength: 3000 });

test("a column gives back what was pushed, and sorts what is a finite number", () => {
  fc.assert(
    fc.property(values, (all) => {
      const column = new Column();
      for (const value of all) column.push(value);
      expect(column.size).toBe(all.length);
      expect(all.every((value, index) => Object.is(column.at(index), value))).toBe(true);
      expect([...column.sorted()].map((value) => value + 0)).toEqual(
        all
          .filter((value) => Number.isFinite(value))
          .sort((a, b) => a - b)
          .map((value) => value + 0),
      );
    }),
    { seed: 1, numRuns: 100 },
  );
});

test("a percentile is a value that occurs, with that share of all at or below it", () => {
  const hundred = Float64Array.from({ length: 100 }, (_, index) => index + 1);
  expect([0, 0.01, 0.05, 0.5, 0.99, 1].map((share) => percentile(hundred, share))).toEqual([1, 1, 5, 50, 99, 100]);
  expect(percentile(Float64Array.of(7), 0.5)).toBe(7);
  expect(percentile(new Float64Array(0), 0.5)).toBeNaN();
});

test("values under a limit are counted as comparing each would", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(20)), fc.nat(20), fc.boolean(), (all, limit, inclusive) => {
      const ascending = Float64Array.from(all).sort();
      expect(countBelow(ascending, limit, inclusive)).toBe(all.filter((value) => value < limit || (inclusive && value === limit)).length);
    }),
    { seed: 2, numRuns: 300 },
  );
});
