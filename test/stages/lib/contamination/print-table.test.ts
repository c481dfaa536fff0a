import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { closestIn, PrintTableBuilder } from "../../../../stages/lib/contamination/print-table.ts";
import { fingerprintsOf } from "../../../../stages/lib/decontamination.ts";
import { sha256 } from "../../../fakes/fake-ports.ts";

const tableOf = (documents: readonly string[]) => {
  const builder = new PrintTableBuilder();
  for (const document of documents) builder.add(fingerprintsOf(document, sha256));
  return builder.table();
};

/** The same with sets, document by document. */
function plainly(texts: readonly string[], documents: readonly string[]) {
  const seen = new Set(texts.flatMap((text) => fingerprintsOf(text, sha256)));
  const shares = documents.map((document) => {
    const prints = fingerprintsOf(document, sha256);
    return prints.length === 0 ? 0 : prints.filter((print) => seen.has(print)).length / prints.length;
  });
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

  test("in a table of many fingerprints is found as in one of few", () => {
    const documents = Array.from({ length: 300 }, (_, number) => Array.from({ length: 80 }, (_, at) => `d${number}w${at}`).join(" "));
    const table = tableOf(documents);
    expect(table.prints).toBe(300 * 68);
    for (const task of [0, 17, 299]) expect(closestIn([documents[task] ?? ""], [table], sha256)).toEqual([{ task, share: 1 }]);
  });
});
