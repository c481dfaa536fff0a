import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { formatValue, parseValue } from "../src/index.js";

describe("parseValue", () => {
  const cases = [
    ["true", true],
    ["Off", false],
    ["12", 12],
    ["-3", -3],
    ["1_000", 1000],
    ["1.5", 1.5],
    ["2e3", 2000],
    ["10ms", 10],
    ["30s", 30_000],
    ["1.5h", 5_400_000],
    ["127.0.0.1", "127.0.0.1"],
    ["hello world", "hello world"],
    ['"12"', "12"],
    ['""', ""],
    ['"a \\"b\\" c"', 'a "b" c'],
    ['"caf\\u00e9\\n"', "café\n"],
    ["[]", []],
    ['[a, "b, c", 3, on]', ["a", "b, c", 3, true]],
  ];
  for (const [text, value] of cases) {
    test(text, () => {
      assert.deepEqual(parseValue(text), value);
    });
  }

  const bad = [
    ['"open', /no closing quote/],
    ['"a" b', /text after the closing quote:  b/],
    ['"\\q"', /"\\q" is not an escape/],
    ['"\\u12"', /is not an escape/],
  ];
  for (const [text, message] of bad) {
    test(`refuses ${text}`, () => {
      assert.throws(() => parseValue(text), message);
    });
  }
});

describe("formatValue", () => {
  const cases = [
    [true, "true"],
    [12, "12"],
    ["plain text", "plain text"],
    ["", '""'],
    [" padded", '" padded"'],
    ['say "hi"', '"say \\"hi\\""'],
    ["two\nlines", '"two\\nlines"'],
    [["a", "b, c", 3], '[a, "b, c", 3]'],
  ];
  for (const [value, text] of cases) {
    test(JSON.stringify(value), () => {
      assert.equal(formatValue(value), text);
      assert.deepEqual(parseValue(text), value);
    });
  }

  test("refuses null", () => {
    assert.throws(() => formatValue(null), /type null/);
  });
});
