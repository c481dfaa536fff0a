import { expect, test } from "vitest";
import { borrow, giveBack } from "../../../pipeline/store/borrowed.ts";

test("a buffer that was given back is lent again, and only to one at a time", () => {
  const first = borrow(1000);
  const second = borrow(1000);
  expect(second).not.toBe(first);
  giveBack(first);
  expect(borrow(900)).toBe(first);
  expect(borrow(900)).not.toBe(first);
});

test("the smallest that is large enough is lent", () => {
  const [large, small] = [borrow(70_000), borrow(50_000)];
  giveBack(large);
  giveBack(small);
  expect(borrow(40_000)).toBe(small);
  expect(borrow(60_000)).toBe(large);
  expect(borrow(60_000).length).toBeGreaterThanOrEqual(60_000);
});

test("of many that were given back the largest few are kept", () => {
  const sizes = [1, 2, 3, 4, 5, 6].map((size) => size * 100_000);
  const all = sizes.map((size) => borrow(size));
  for (const buffer of all) giveBack(buffer);
  const again = sizes.map((size) => borrow(size));
  expect(new Set(again.filter((buffer) => all.includes(buffer)))).toEqual(new Set(all.slice(2)));
});
