import fc from "fast-check";
import { expect, test } from "vitest";
import {
  minHash,
  readSketch,
  shinglesOf,
  shingleWords,
  sketchText,
  stepsSketchValues,
  taskSketchValues,
} from "../../../../stages/filter/selection/min-hash.ts";
import { SketchColumn } from "../../../../stages/filter/selection/sketch-column.ts";
import { textHash, textWords } from "../../../../stages/filter/selection/words.ts";
import { drawer } from "../../../../stages/lib/drawer.ts";

/**
 * Words: the vectors of FNV's authors. The rest is from a second implementation in Python. Another value means that stored sketches cannot be
 * compared with new ones: bump the version of `measure`.
 */
test("the hashes are these, on every machine and in every version", () => {
  expect(["", "a", "foobar"].map(textHash)).toEqual([0x811c9dc5, 0xe40c292c, 0xbf9cf968]);
  expect([...shinglesOf([1, 2, 3, 4, 5, 6])].map((value) => value.toString(16)).sort()).toEqual(["38eb041f", "78adb51d"]);
  expect([...(minHash(textWords("fix the failing test of the parser"), 8) ?? [])]).toEqual([
    39753, 32603, 14391, 29714, 7968, 51366, 24401, 31503,
  ]);
  expect(sketchText(minHash(textWords("fix the failing test of the parser"), 8))).toBe("SZtbfzc4EnQgH6bIUV8Pew==");
});

test("what is shorter than a shingle is one, and nothing has no sketch", () => {
  expect(shinglesOf([1, 2]).size).toBe(1);
  expect(shinglesOf(Array.from({ length: shingleWords }, (_, index) => index)).size).toBe(1);
  expect(shinglesOf(Array.from({ length: shingleWords + 3 }, (_, index) => index)).size).toBe(4);
  expect(minHash([], 8)).toBeNull();
  expect(sketchText(null)).toBeNull();
});

test("a sketch is read back as it was written, and a text that is none is refused", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(), { minLength: 1, maxLength: 50 }), (words) => {
      const sketch = minHash(words, taskSketchValues);
      const into = new Uint16Array(taskSketchValues + 3);
      expect(readSketch(sketchText(sketch) ?? "", into, 3, taskSketchValues)).toBe(true);
      expect(into.subarray(3)).toEqual(sketch);
    }),
    { seed: 612, numRuns: 100 },
  );
  for (const text of ["", "AAAA", "no base64!"]) expect(readSketch(text, new Uint16Array(8), 0, 8)).toBe(false);
});

/** Two sequences of distinct words whose sets of shingles have about the wanted similarity. */
function pair(random: () => number, size: number, shared: number): [number[], number[]] {
  const word = (): number => Math.floor(random() * 2 ** 32);
  const common = Array.from({ length: shared }, word);
  return [
    [...common, ...Array.from({ length: size - shared }, word)],
    [...common, ...Array.from({ length: size - shared }, word)],
  ];
}

test.each([stepsSketchValues, taskSketchValues])(
  "with %i values the estimate is off by no more than chance allows, and not to one side",
  (values) => {
    const random = drawer(613);
    let [errors, worst, rounds] = [0, 0, 0];
    for (const share of [0, 0.2, 0.5, 0.75, 0.8, 0.95, 1])
      for (let round = 0; round < 60; round += 1) {
        const [a, b] = pair(random, 400, Math.round(400 * share));
        const [first, second] = [shinglesOf(a), shinglesOf(b)];
        const both = [...first].filter((shingle) => second.has(shingle)).length;
        const exact = both / (first.size + second.size - both);
        const column = new SketchColumn(values);
        for (const words of [a, b]) column.push(sketchText(minHash(words, values)));
        const error = column.similarity(0, 1) - exact;
        const chance = Math.sqrt((exact * (1 - exact)) / values);
        if (chance === 0) expect(Math.abs(error)).toBeLessThanOrEqual(2 / values);
        else {
          errors += error / chance;
          worst = Math.max(worst, Math.abs(error / chance));
          rounds += 1;
        }
      }
    expect(worst).toBeLessThan(4.5); // of 300 draws: once in 500 such tests
    expect(Math.abs(errors / rounds)).toBeLessThan(4 / Math.sqrt(rounds));
  },
);
