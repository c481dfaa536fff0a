import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { closestIn } from "../../../../stages/lib/contamination/closest.ts";
import { PrintTableBuilder } from "../../../../stages/lib/contamination/print-table.ts";
import { fingerprintsOf } from "../../../../stages/lib/decontamination.ts";
import { sha256 } from "../../../fakes/fake-ports.ts";

const tableOf = (documents: readonly string[]) => {
  const builder = new PrintTableBuilder();
  for (const document of documents) builder.add(fingerprintsOf(document, sha256));
  return builder.table();
};

/** What of each document counts: its own fingerprints, or all where less than a quarter are. */
function counted(documents: readonly string[]): string[][] {
  const all = documents.map((document) => fingerprintsOf(document, sha256));
  return all.map((prints, at) => {
    const own = prints.filter((print) => all.every((others, place) => place === at || !others.includes(print)));
    return own.length < prints.length / 4 ? prints : own;
  });
}

/** The same with lists, document by document. */
function plainly(texts: readonly string[], documents: readonly string[]) {
  const seen = texts.flatMap((text) => fingerprintsOf(text, sha256));
  const shares = counted(documents).map((prints) =>
    prints.length === 0 ? 0 : prints.filter((print) => seen.includes(print)).length / prints.length,
  );
  const share = Math.max(0, ...shares);
  return share === 0 ? null : { task: shares.indexOf(share), share };
}

/** Few words, so that documents have windows in common. */
const text = fc.array(fc.constantFrom("a", "b"), { maxLength: 40 }).map((words) => words.join(" "));

describe("the closest task of a table", () => {
  test("is the one with the largest share of its fingerprints in the texts, the first of equals", () => {
    fc.assert(
      fc.property(
        fc.array(text, { maxLength: 6 }),
        fc.array(text, { maxLength: 6 }),
        fc.array(text, { maxLength: 3 }),
        (some, others, texts) => {
          const tables = [tableOf(some), tableOf(others)];
          expect(closestIn(texts, tables, sha256)).toEqual([plainly(texts, some), plainly(texts, others)]);
        },
      ),
      { seed: 602, numRuns: 400 },
    );
  });

  test("is found in a long text around it, and what a text repeats counts once", () => {
    const task = Array.from({ length: 60 }, (_, at) => `word${at}`).join(" ");
    const filler = Array.from({ length: 5_000 }, (_, at) => `other${at}`).join(" ");
    expect(closestIn([`${filler} ${task}\n${filler} ${task}`], [tableOf(["nothing here", task])], sha256)).toEqual([{ task: 1, share: 1 }]);
    const half = task.split(" ").slice(0, 36).join(" ");
    expect(closestIn([half, half], [tableOf([task])], sha256)).toEqual([{ task: 0, share: 0.5 }]);
  });

  test("digests each window once, however many tables there are, and none where there is no table", () => {
    let digested = 0;
    const counting = (window: string): string => {
      digested += 1;
      return sha256(window);
    };
    const words = Array.from({ length: 112 }, (_, at) => `w${at}`).join(" ");
    closestIn([words], [tableOf(["x"]), tableOf([words])], counting);
    expect(digested).toBe(100);
    expect(closestIn([words], [], counting)).toEqual([]);
    expect(digested).toBe(100);
  });

  test("is not given away by what several tasks have, such as an issue form", () => {
    const words = (start: string, count: number): string => Array.from({ length: count }, (_, at) => `${start}${at}`).join(" ");
    const form = words("form", 60);
    const table = tableOf([`${form} ${words("first", 40)}`, `${form} ${words("second", 40)}`]);
    expect(closestIn([form], [table], sha256)).toEqual([null]);
    expect(closestIn([words("second", 40)], [table], sha256)).toEqual([{ task: 1, share: 28 / 40 }]);
    expect(closestIn([`${form} ${words("second", 40)}`], [table], sha256)).toEqual([{ task: 1, share: 1 }]);
  });

  test("is found also where a set holds it under two names", () => {
    const task = Array.from({ length: 40 }, (_, at) => `w${at}`).join(" ");
    expect(closestIn([task], [tableOf([task, task, "another"])], sha256)).toEqual([{ task: 0, share: 1 }]);
  });

  test("in a table of many fingerprints is found as in one of few", () => {
    const documents = Array.from({ length: 300 }, (_, number) => Array.from({ length: 80 }, (_, at) => `d${number}w${at}`).join(" "));
    const table = tableOf(documents);
    expect(table.prints).toBe(300 * 68);
    for (const task of [0, 17, 299]) expect(closestIn([documents[task] ?? ""], [table], sha256)).toEqual([{ task, share: 1 }]);
  });
});
