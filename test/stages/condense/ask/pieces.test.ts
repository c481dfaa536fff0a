import fc from "fast-check";
import { expect, test } from "vitest";
import { piecesOf, pieceText } from "../../../../stages/condense/ask/pieces.ts";
import { stepsText, stepText } from "../../../../stages/lib/condense-request.ts";
import type { RenderedStep } from "../../../../stages/lib/render.ts";
import { arbitraryText } from "../../../fakes/arbitrary-trajectory.ts";
import { exactTokens, roughTokens } from "../../../fakes/fake-ports.ts";

const step = (thought: string, result: string): RenderedStep => ({
  thought,
  calls: [{ name: "execute_bash", arguments: '{"command": "x"}', result, exitCode: 0, failed: false }],
  feedback: [],
  assistant: "unread",
  user: "unread",
});

/** Steps of any size: many small ones, huge ones with lines, huge ones of a single line. */
const arbitrarySteps = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.tuple(arbitraryText(80), arbitraryText(200)).map(([thought, result]) => step(thought, result)) },
    {
      weight: 1,
      arbitrary: fc.tuple(arbitraryText(60), fc.integer({ min: 5, max: 60 })).map(([line, times]) => step("t", `${line}\n`.repeat(times))),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(arbitraryText(60), fc.integer({ min: 5, max: 60 }))
        .map(([line, times]) => step("t", line.replaceAll("\n", "").repeat(times))),
    },
  ),
  { minLength: 1, maxLength: 8 },
);

test("pieces tile the fold: every step in one piece, in order, the parts of a split one side by side, and each piece within its room", () => {
  let split = 0;
  fc.assert(
    fc.property(arbitrarySteps, fc.integer({ min: 60, max: 600 }), fc.nat(30), (fold, most, before) => {
      const first = before + 1;
      const pieces = piecesOf({ fold, first }, most, exactTokens);
      const parts = pieces.flat();
      for (const [index, one] of fold.entries()) {
        const own = parts.filter((part) => part.step === index);
        expect(own.map((part) => part.text).join("")).toBe(stepText(one, first + index));
        expect(own.map((part) => part.continued)).toEqual(own.map((_, place) => place > 0));
        if (own.length === 1) expect(pieces.filter((piece) => piece.some((part) => part.step === index))).toHaveLength(1);
        else expect(exactTokens(own.map((part) => part.text).join(""))).toBeGreaterThan(most - 16); // split only where it alone is too long
        if (own.length > 1) split += 1;
      }
      expect(parts.map((part) => part.step)).toEqual(parts.map((part) => part.step).toSorted((a, b) => a - b));
      for (const piece of pieces) {
        expect(piece.length).toBeGreaterThan(0);
        expect(exactTokens(pieceText(piece, first))).toBeLessThanOrEqual(most);
        expect(pieceText(piece, first).isWellFormed()).toBe(
          fold.every((one) => stepText(one, 1).isWellFormed()) || pieceText(piece, first).isWellFormed(),
        );
      }
    }),
    { seed: 521, numRuns: 300 },
  );
  expect(split).toBeGreaterThan(50);
});

test("a huge result is split at line ends, and only a line that alone is too long within itself", () => {
  const lines = Array.from({ length: 200 }, (_, index) => `line ${index} of the output`);
  const fold = [step("look", lines.join("\n"))];
  const parts = piecesOf({ fold, first: 3 }, 200, roughTokens).flat();
  expect(parts.length).toBeGreaterThan(3);
  for (const part of parts.slice(0, -1)) expect(part.text.endsWith("\n")).toBe(true);
  expect(pieceText(parts.slice(1, 2), 3)).toMatch(/^\[step 3, continued\]\nline /);

  const long = piecesOf({ fold: [step("look", `short\n${"é😀".repeat(3_000)}\nend`)], first: 1 }, 200, roughTokens).flat();
  expect(long.map((part) => part.text).join("")).toBe(stepText(step("look", `short\n${"é😀".repeat(3_000)}\nend`), 1));
  for (const part of long) expect(part.text.isWellFormed()).toBe(true);
});

test("a fold that fits is one piece, shown as a whole request shows it", () => {
  const fold = [step("a", "x"), step("b", "y")];
  const pieces = piecesOf({ fold, first: 5 }, 10_000, exactTokens);
  expect(pieces).toHaveLength(1);
  expect(pieceText(pieces[0] ?? [], 5)).toBe(stepsText(fold, 5));
});

test("a fold of a megabyte in one line is cut in time", () => {
  const start = performance.now();
  const pieces = piecesOf({ fold: [step("t", "ab c".repeat(250_000))], first: 1 }, 8_000, exactTokens);
  expect(pieces.length).toBeGreaterThan(20);
  expect(performance.now() - start).toBeLessThan(20_000);
});
