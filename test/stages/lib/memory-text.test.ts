import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Entry, MemoryNotes, nothingNoted } from "../../../schemas/memory-notes.ts";
import { emptyNotes, heading, memorySections, parseMemory, renderMemory } from "../../../stages/lib/memory-text.ts";
import { arbitraryNotes } from "../../fakes/arbitrary-notes.ts";
import { memoryText } from "../../invariants/placement.ts";

const parsed = (text: string): MemoryNotes => {
  const outcome = parseMemory(text);
  if (!outcome.ok) throw new Error(`${outcome.why} at line ${outcome.line}: ${outcome.detail}`);
  return outcome.value;
};

describe("a memory's text", () => {
  test("comes back as the notes it was rendered from, whatever they say", () => {
    fc.assert(
      fc.property(arbitraryNotes(), (notes) => {
        expect(MemoryNotes.parse(notes)).toEqual(notes);
        expect(parsed(renderMemory(notes))).toEqual(notes);
      }),
      { seed: 501, numRuns: 1_000 },
    );
  });

  test("that parses is rendered again byte for byte, however it was spoiled", () => {
    const spoil = fc.tuple(fc.nat(400), fc.constantFrom("", "\n", "\n\n", "- ", "## ", " ", "#", "\r", "x", "- none noted", "failed: "));
    let kept = 0;
    fc.assert(
      fc.property(arbitraryNotes(), fc.array(spoil, { maxLength: 2 }), fc.nat(3), (notes, spoils, cut) => {
        let text = renderMemory(notes);
        for (const [at, piece] of spoils) text = text.slice(0, at) + piece + text.slice(at + cut);
        const outcome = parseMemory(text);
        if (!outcome.ok) {
          expect(outcome.line).toBeGreaterThan(0);
          expect(outcome.line).toBeLessThanOrEqual(text.split("\n").length);
          return;
        }
        kept += 1;
        expect(renderMemory(outcome.value)).toBe(text);
      }),
      { seed: 502, numRuns: 2_000 },
    );
    expect(kept).toBeGreaterThan(200);
  });

  test("says in every empty section that nothing is noted", () => {
    expect(renderMemory(emptyNotes())).toBe(memorySections.map(({ title }) => `${heading(title)}\n- none noted`).join("\n\n"));
    expect(parsed(renderMemory(emptyNotes()))).toEqual(emptyNotes());
  });

  test("has the eight sections, in this order", () => {
    expect(memorySections.map(({ title }) => title)).toEqual([
      "Task",
      "Completed",
      "Attempts and outcomes",
      "Changes",
      "Tests",
      "Facts and constraints",
      "Open questions",
      "Next steps",
    ]);
    expect(new Set(memorySections.map(({ part }) => part))).toEqual(new Set(Object.keys(emptyNotes())));
  });
});

const good = memoryText("note");
describe("what is no memory is refused with the reason and where", () => {
  test.each([
    ["nothing at all", " \n", "memory-empty", 1],
    ["a section short", good.replace("## Tests\n- note\n\n", ""), "memory-sections-missing", 20],
    ["a heading one level up", good.replace("## Task", "# Task"), "memory-sections-missing", 23],
    ["words before the first section", `Here it is:\n\n${good}`, "memory-preamble", 1],
    [
      "two sections in each other's place",
      good.replace("## Tests", "## X").replace("## Changes", "## Tests").replace("## X", "## Changes"),
      "memory-sections-disordered",
      10,
    ],
    ["a section twice", `${good}\n\n## Tests\n- again`, "memory-sections-disordered", 25],
    ["a section of its own", `${good}\n\n## Remarks\n- again`, "memory-section-unknown", 25],
    ["a section with nothing under it", good.replace("## Tests\n- note\n", "## Tests\n"), "memory-section-empty", 13],
    ["a line that is no bullet", good.replace("## Tests\n- note", "## Tests\n- note\nmore"), "memory-line-malformed", 15],
    ["two blank lines", good.replace("\n\n## Tests", "\n\n\n## Tests"), "memory-line-malformed", 12],
    ["a line end at the end", `${good}\n`, "memory-line-malformed", 24],
    ["an empty bullet", good.replace("## Tests\n- note", "## Tests\n- "), "memory-line-malformed", 14],
    ["a bullet that ends in a blank", good.replace("## Tests\n- note", "## Tests\n- note "), "memory-line-malformed", 14],
    ["nothing noted beside a note", good.replace("## Tests\n- note", "## Tests\n- note\n- none noted"), "memory-line-malformed", 15],
    ["an attempt without its outcome", good.replace("- failed: note", "- note"), "memory-outcome-missing", 8],
    ["an attempt that says only its outcome", good.replace("- failed: note", "- failed: none noted"), "memory-outcome-missing", 8],
  ])("%s", (_, text, why, line) => {
    expect(parseMemory(text)).toMatchObject({ ok: false, why, line, detail: expect.stringContaining("expected") });
  });
});

test("an entry is one line, says something, and is not the word for nothing", () => {
  for (const text of ["x", "a b", "- a", "## Task", "failed: x", "é\u00a0é", "a\tb"]) expect(Entry.safeParse(text).success).toBe(true);
  for (const text of ["", " ", " a", "a ", "a\nb", "a\rb", "a\u2028b", "a\u0085b", "a\n", nothingNoted])
    expect(Entry.safeParse(text).success).toBe(false);
});

test.each(["- ", "## ", "\n", "x", "- a\n", "## Task\n"])("hostile repetition of %j takes linear time", (piece) => {
  const start = performance.now();
  parseMemory(piece.repeat(200_000));
  parseMemory(`${good}\n${piece.repeat(200_000)}`);
  expect(performance.now() - start).toBeLessThan(2_000);
});
