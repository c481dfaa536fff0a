import fc from "fast-check";
import { expect, test } from "vitest";
import { seenText } from "../../../../stages/lib/checks/seen.ts";

test("the words of a text are its runs of letters, digits, `_`, `$` and characters from U+00AA on, in lower case", () => {
  const piece = fc.oneof(
    fc.constantFrom("a", "Zz", "_1", "$x", ".", "@", "+", "~", "/", "-", " ", "\n", "(", '"', "é", "\u00a9", "\u00aa", "中", "👍"),
    fc.string({ unit: "binary", maxLength: 3 }),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      const text = pieces.join("");
      const plain = text.replace(/\\[nrt]/g, "  ").toLowerCase();
      expect([...seenText(text).words].sort()).toEqual([...new Set(plain.match(/[\w$\u00aa-\uffff]+/g))].sort());
    }),
    { numRuns: 2_000 },
  );
});

test("a path is seen with all of its ends", () => {
  expect([...seenText("see ./src/Lib/a.py: and (b.py).").paths]).toEqual(["src/lib/a.py", "lib/a.py", "a.py", "b.py"]);
});
