import fc from "fast-check";
import { expect, test } from "vitest";
import { dots, heatMap, histogram, lineChart, ticksUpTo, timeline } from "../../notebooks/lib/plots.ts";

const broken = /NaN|Infinity|undefined/;

test("ticks begin at 0, are equally far apart, seven at most, and leave less than one step over", () => {
  fc.assert(
    fc.property(fc.double({ min: 1e-6, max: 1e9, noNaN: true }), (most) => {
      const ticks = ticksUpTo(most);
      const step = ticks[1] ?? most;
      expect(ticks[0]).toBe(0);
      expect(ticks.length).toBeLessThanOrEqual(7);
      expect(ticks.every((tick, index) => Math.abs(tick - index * step) < step * 1e-6)).toBe(true);
      expect(most - (ticks.at(-1) ?? 0)).toBeLessThan(step * (1 + 1e-6));
    }),
    { seed: 601, numRuns: 500 },
  );
  expect(ticksUpTo(0)).toEqual([0]);
});

test("no drawing breaks on nothing, on one value, or on zeros", () => {
  for (const values of [[], [0], [7], [0, 0]]) {
    const line = { name: "a", note: "", colour: "#000", dashed: false, values };
    expect(lineChart("t", "x", [line], { name: "limit", value: 1 })).not.toMatch(broken);
    expect(histogram("t", "x", values)).not.toMatch(broken);
    expect(dots("t", "x", { a: values }, 0.3)).not.toMatch(broken);
    expect(
      timeline(
        "t",
        "x",
        values.map((length) => ({ name: "a", length, marks: [{ at: 0, colour: "#000" }] })),
        {},
      ),
    ).not.toMatch(broken);
    const axis = { name: "a", values, now: null };
    expect(heatMap("t", { rows: axis, columns: axis, cells: values.map(() => values), most: 0 })).not.toMatch(broken);
  }
});

test("a histogram has a bar wherever there are values, and nowhere else", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(1000), { minLength: 1, maxLength: 200 }), (values) => {
      const bins = 5;
      const most = Math.max(1, ...values);
      const filled = new Set(values.map((value) => Math.min(bins - 1, Math.floor((value / most) * bins))));
      const bars = histogram("t", "x", values, bins).match(/<rect x="[^"]*" y="[^"]*" width="[^"]*" height="[^"]*" fill="#1f6feb"/g) ?? [];
      expect(bars).toHaveLength(filled.size);
    }),
    { seed: 602, numRuns: 100 },
  );
});

test("hundreds of thousands of values are drawn, too", () => {
  expect(
    histogram(
      "t",
      "x",
      Array.from({ length: 300_000 }, (_, index) => index % 977),
    ),
  ).not.toMatch(broken);
});
