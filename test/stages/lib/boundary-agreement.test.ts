import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  agreementOf,
  type Course,
  countsOf,
  everySteps,
  everyTokens,
  intersection,
  kindAgreement,
  noCounts,
  pairs,
  plus,
  randomCuts,
  tuned,
  union,
} from "../../../stages/lib/boundary-agreement.ts";
import { drawer } from "../../../stages/lib/drawer.ts";

const cuts = fc.uniqueArray(fc.integer({ min: 1, max: 25 }), { maxLength: 8 }).map((all) => all.sort((a, b) => a - b));

/** All ways to pair, one by one. */
function bestByForce(left: readonly number[], right: readonly number[], within: number): { count: number; distance: number } {
  const [head, ...rest] = left;
  if (head === undefined) return { count: 0, distance: 0 };
  let best = bestByForce(rest, right, within);
  for (const [index, other] of right.entries()) {
    const distance = Math.abs(head - other);
    if (distance > within) continue;
    const inner = bestByForce(rest, right.toSpliced(index, 1), within);
    const own = { count: inner.count + 1, distance: inner.distance + distance };
    if (own.count > best.count || (own.count === best.count && own.distance < best.distance)) best = own;
  }
  return best;
}

describe("pairs", () => {
  test("are as many as there can be, and as near as they can be: the same as trying all ways", () => {
    fc.assert(
      fc.property(
        cuts.filter((all) => all.length < 7),
        cuts,
        fc.integer({ min: 0, max: 3 }),
        (left, right, within) => {
          const found = pairs(left, right, within);
          const distance = found.reduce((sum, pair) => sum + Math.abs(pair.left - pair.right), 0);
          expect({ count: found.length, distance }).toEqual(bestByForce(left, right, within));
          expect(new Set(found.map((pair) => pair.left)).size).toBe(found.length);
          expect(new Set(found.map((pair) => pair.right)).size).toBe(found.length);
        },
      ),
      { numRuns: 500, seed: 24 },
    );
  });

  test("use no cut twice, and prefer the same place", () => {
    expect(pairs([4, 5], [5], 1)).toEqual([{ left: 5, right: 5 }]);
    expect(pairs([4, 5], [5, 6], 1)).toHaveLength(2);
    expect(pairs([4], [3, 5], 1)).toHaveLength(1);
    expect(pairs([4], [6], 1)).toEqual([]);
  });
});

describe("agreement", () => {
  test("adds up over trajectories before it is divided", () => {
    const sum = plus(countsOf([1, 5, 9], [5], 0), countsOf([], [3, 7], 0));
    expect(sum).toEqual({ found: 3, wanted: 3, matched: 1 });
    expect(agreementOf(sum)).toEqual({ precision: 1 / 3, recall: 1 / 3, f1: 1 / 3, jaccard: 1 / 5 });
  });

  test("of nothing is unknown, not zero", () => {
    expect(agreementOf(noCounts)).toEqual({ precision: null, recall: null, f1: null, jaccard: null });
    expect(agreementOf({ found: 0, wanted: 2, matched: 0 })).toEqual({ precision: null, recall: 0, f1: 0, jaccard: 0 });
  });

  test("does not depend on who is called left, except that precision and recall change places", () => {
    fc.assert(
      fc.property(cuts, cuts, fc.integer({ min: 0, max: 2 }), (left, right, within) => {
        const [one, other] = [agreementOf(countsOf(left, right, within)), agreementOf(countsOf(right, left, within))];
        expect([one.f1, one.jaccard, one.precision]).toEqual([other.f1, other.jaccard, other.recall]);
      }),
      { seed: 24 },
    );
  });
});

test("two readers' cuts join into each boundary once", () => {
  expect(union([3, 10], [4, 20], 1)).toEqual([3, 10, 20]);
  expect(intersection([3, 10], [4, 20], 1)).toEqual([3]);
  fc.assert(
    fc.property(cuts, cuts, (left, right) => {
      const both = intersection(left, right, 1);
      const joined = union(left, right, 1);
      expect(joined).toEqual([...new Set(joined)].sort((a, b) => a - b));
      for (const cut of [...left, ...right]) expect(joined.some((one) => Math.abs(one - cut) <= 1)).toBe(true);
      expect(both.every((cut) => left.includes(cut))).toBe(true);
    }),
    { seed: 24 },
  );
});
describe("baselines", () => {
  const course: Course = { first: 4, last: 9, tokens: Array.from({ length: 10 }, () => 100) };

  test("cut every so many steps or tokens, where it is legal", () => {
    expect(everySteps(course, 3)).toEqual([6, 9]);
    expect(everySteps(course, 2)).toEqual([4, 6, 8]);
    expect(everyTokens(course, 250)).toEqual([6, 9]);
    expect(everyTokens({ ...course, tokens: [1_000, ...Array.from({ length: 9 }, () => 100)] }, 500)).toEqual([6]);
  });

  test("are tuned to a number of cuts in all", () => {
    const courses = [course, { ...course, last: 19, tokens: Array.from({ length: 20 }, () => 100) }];
    const { parameter, cuts: found } = tuned(courses, everySteps, [1, 2, 3, 4, 5, 6, 7, 8], 6);
    expect([parameter, found.flat().length]).toEqual([4, 6]);
  });

  test("at random are legal, different, in order, and the same for the same seed", () => {
    fc.assert(
      fc.property(fc.nat(30), fc.nat(), (count, seed) => {
        const found = randomCuts(course, count, drawer(seed));
        expect(found).toHaveLength(Math.min(count, 6));
        expect(new Set(found).size).toBe(found.length);
        expect(found).toEqual([...found].sort((a, b) => a - b));
        expect(found.every((cut) => cut >= 4 && cut <= 9)).toBe(true);
        expect(randomCuts(course, count, drawer(seed))).toEqual(found);
      }),
      { seed: 24 },
    );
  });

  test("at random take every cut about equally often", () => {
    const times = new Map<number, number>();
    for (let seed = 0; seed < 6_000; seed += 1)
      for (const cut of randomCuts(course, 1, drawer(seed))) times.set(cut, (times.get(cut) ?? 0) + 1);
    expect(times.size).toBe(6);
    for (const count of times.values()) expect(Math.abs(count - 1_000)).toBeLessThan(150); // five standard deviations: sqrt(6,000 x 1/6 x 5/6) = 29
  });
});

test("kinds agree beyond chance or not", () => {
  expect(kindAgreement([])).toEqual({ share: null, kappa: null });
  expect(
    kindAgreement([
      ["a", "a"],
      ["a", "a"],
    ]),
  ).toEqual({ share: 1, kappa: null });
  expect(
    kindAgreement([
      ["a", "a"],
      ["b", "b"],
    ]),
  ).toEqual({ share: 1, kappa: 1 });
  expect(
    kindAgreement([
      ["a", "a"],
      ["b", "a"],
      ["a", "b"],
      ["b", "b"],
    ]),
  ).toEqual({ share: 0.5, kappa: 0 });
});
