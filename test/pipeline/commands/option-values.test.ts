import { isAbsolute } from "node:path";
import { expect, test } from "vitest";
import { limitFrom, positive, svgPath } from "../../../pipeline/commands/option-values.ts";

test("a plot's name has to say SVG, since that is what is written", () => {
  expect(isAbsolute(svgPath("plots/a.SVG"))).toBe(true);
  expect(() => svgPath("a.png")).toThrow('ends in .svg, got "a.png"');
});

test("counts are whole numbers of at least 1, and a limit may be lifted", () => {
  expect(positive("--jobs", 3)).toBe(3);
  expect(() => positive("--jobs", 0)).toThrow("--jobs to be a whole number");
  expect([limitFrom("all"), limitFrom(undefined), limitFrom("7")]).toEqual([null, undefined, 7]);
  expect(() => limitFrom("some")).toThrow("--limit");
});
