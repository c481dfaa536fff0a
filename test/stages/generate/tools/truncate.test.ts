import fc from "fast-check";
import { expect, test } from "vitest";
import { truncate } from "../../../../stages/generate/tools/truncate.ts";

test("what fits stays as it is", () => {
  expect(truncate("", 4)).toBe("");
  expect(truncate("abcd", 4)).toBe("abcd");
});

test("of a long text head and tail stay, and a line between them counts what does not", () => {
  expect(truncate("abcdefgh", 4)).toBe("ab\n[... Observation truncated: 4 characters left out ...]\ngh");
  expect(truncate("abcdefgh", 4, 9)).toBe("ab\n[... Observation truncated: 13 bytes left out ...]\ngh");
});

test("where the sandbox began to drop does not show", () => {
  const flood = "ä".repeat(1_000);
  const dropped = (kept: number): string => truncate(flood.slice(0, kept), 8, 2 * (1_000 - kept));
  expect(dropped(500)).toBe(dropped(600));
  expect(dropped(500)).toBe("ääää\n[... Observation truncated: 1984 bytes left out ...]\nääää");
});

test("no character is cut in two, and the count is true", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", minLength: 1, maxLength: 80 }), fc.integer({ min: 2, max: 60 }), (text, maxChars) => {
      const shown = truncate(text, maxChars);
      expect(shown.isWellFormed()).toBe(true);
      fc.pre(text.length > maxChars);
      const [, head = "", count, tail = ""] =
        /^([\s\S]*)\n\[\.\.\. Observation truncated: (\d+) characters left out \.\.\.\]\n([\s\S]*)$/.exec(shown) ?? [];
      expect(text.startsWith(head) && text.endsWith(tail)).toBe(true);
      expect(head.length + Number(count) + tail.length).toBe(text.length);
      expect(head.length).toBeLessThanOrEqual(maxChars / 2);
      expect(tail.length).toBeLessThanOrEqual(maxChars / 2 + 1);
    }),
    { seed: 41, numRuns: 1000 },
  );
});
