import { expect, test } from "vitest";
import { minHash, sketchText, stepsSketchValues } from "../../../../stages/filter/selection/min-hash.ts";
import { bandsFor, NearDuplicates } from "../../../../stages/filter/selection/near-duplicates.ts";
import { SketchColumn } from "../../../../stages/filter/selection/sketch-column.ts";
import { drawer } from "../../../../stages/lib/drawer.ts";

test("bands are as wide as they can be with 99 of 100 pairs at the threshold meeting", () => {
  expect(bandsFor(0.75, 128)).toEqual({ rows: 5, bands: 25 });
  expect(bandsFor(1, 128)).toEqual({ rows: 128, bands: 1 });
  for (const threshold of [0.3, 0.5, 0.8, 0.9, 0.99]) {
    const { rows, bands } = bandsFor(threshold, 128);
    expect(1 - (1 - threshold ** rows) ** bands).toBeGreaterThanOrEqual(0.99);
    expect(rows * bands).toBeLessThanOrEqual(128);
  }
});

/** Families of sequences: a family's members are its first one with some words changed. */
function families(random: () => number, count: number, members: number, changed: number): number[][] {
  const word = (): number => Math.floor(random() * 2 ** 32);
  return Array.from({ length: count }, () => Array.from({ length: 300 }, word)).flatMap((first) =>
    Array.from({ length: members }, () => first.map((one) => (random() < changed ? word() : one))),
  );
}

test("what comparing every pair finds is found, but for what chance hides, and nothing else", () => {
  const column = new SketchColumn(stepsSketchValues);
  for (const words of families(drawer(614), 60, 5, 0.012)) column.push(sketchText(minHash(words, stepsSketchValues)));
  const near = new NearDuplicates(column, 0.75);
  let [wanted, found] = [0, 0];
  for (let entry = 0; entry < column.size; entry += 1) {
    const all = Array.from({ length: entry }, (_, other) => ({ entry: other, similarity: column.similarity(entry, other) }));
    const best = all.filter(({ similarity }) => similarity >= 0.75).sort((a, b) => b.similarity - a.similarity || a.entry - b.entry)[0];
    const got = near.find(entry);
    if (best === undefined) expect(got).toBeNull();
    else {
      wanted += 1;
      if (got !== null) found += 1;
      if (got !== null) expect(got.similarity).toBeGreaterThanOrEqual(0.75);
    }
    near.add(entry);
  }
  expect(wanted).toBeGreaterThan(150);
  expect(found / wanted).toBeGreaterThan(0.98);
});

test("the most similar is named, the first among equals; what has no sketch is like nothing", () => {
  const column = new SketchColumn(stepsSketchValues);
  const words = Array.from({ length: 100 }, (_, index) => index * 7919);
  const sketch = sketchText(minHash(words, stepsSketchValues));
  for (const text of [sketch, null, sketch, sketch, null]) column.push(text);
  const near = new NearDuplicates(column, 0.75);
  near.add(2);
  near.add(0);
  near.add(1);
  expect(near.find(3)).toEqual({ entry: 2, similarity: 1 });
  expect(near.find(4)).toBeNull();
});
