import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createKeywordFinder } from "../../../../stages/lib/secrets/keyword-finder.ts";
import { createValueFinder } from "../../../../stages/lib/secrets/value-finder.ts";

const letters = (characters: string, minLength: number, maxLength: number) =>
  fc.string({ unit: fc.constantFrom(...characters), minLength, maxLength });

describe("the keyword finder", () => {
  test("finds every place of every keyword, whatever the case, as looking for each would", () => {
    fc.assert(
      fc.property(fc.uniqueArray(letters("abAB-", 3, 5), { minLength: 1, maxLength: 6 }), letters("abAB-üx", 0, 80), (keywords, text) => {
        const found: string[] = [];
        createKeywordFinder(keywords).each(text, (keyword, at) => found.push(`${at} ${keyword}`));
        const wanted: string[] = [];
        const folded = text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
        for (let at = 0; at < text.length; at += 1)
          for (const [index, keyword] of keywords.entries())
            if (folded.startsWith(keyword.toLowerCase(), at)) wanted.push(`${at} ${index}`);
        expect(found.sort()).toEqual(wanted.sort());
      }),
      { numRuns: 1_000, seed: 6 },
    );
  });
  test("refuses keywords that it cannot find", () => expect(() => createKeywordFinder(["ab"])).toThrow("no keyword"));
});

describe("the value finder", () => {
  test("finds what looking for each value would: from left to right, apart, and no value is left where nothing was found", () => {
    fc.assert(
      fc.property(fc.uniqueArray(letters("abc", 1, 6), { maxLength: 8 }), letters("abcx", 0, 120), (values, text) => {
        const finds = createValueFinder(values).find(text);
        let rest = "";
        let at = 0;
        for (const { value, start, end } of finds) {
          expect(text.slice(start, end).startsWith(value)).toBe(true);
          expect(start).toBeGreaterThanOrEqual(at);
          rest += `${text.slice(at, start)}\0`;
          at = end;
        }
        rest += text.slice(at);
        for (const value of values) expect(rest).not.toContain(value);
      }),
      { numRuns: 2_000, seed: 6 },
    );
  });
});
