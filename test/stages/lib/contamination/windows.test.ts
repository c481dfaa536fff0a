import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { eachWindow } from "../../../../stages/lib/contamination/windows.ts";

const windowsOf = (text: string): string[] => {
  const windows: string[] = [];
  eachWindow(text, (window) => windows.push(window));
  return windows;
};

/** As the definition reads. */
const plainly = (text: string): string[] => {
  const words = text.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  return words.map((_, at) => words.slice(at, at + 13)).flatMap((some) => (some.length === 13 ? [some.join(" ")] : []));
};

describe("windows", () => {
  test("are those of the definition, for any text", () => {
    const piece = fc.constantFrom("a", "B7", "long_name", " ", "\n", "--", "é", "\u212a", "İ", "😀", "x".repeat(40));
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 120 }).map((pieces) => pieces.join("")),
        (text) => {
          expect(windowsOf(text)).toEqual(plainly(text));
        },
      ),
      { seed: 601, numRuns: 500 },
    );
  });

  test("of twelve words are none, of thirteen one", () => {
    expect(windowsOf("w ".repeat(12))).toEqual([]);
    expect(windowsOf("w ".repeat(13))).toEqual([Array(13).fill("w").join(" ")]);
  });
});
