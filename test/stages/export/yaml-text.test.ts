import fc from "fast-check";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { type YamlValue, yamlText } from "../../../stages/export/yaml-text.ts";

const scalar = fc.oneof(
  fc.string({ unit: "binary", maxLength: 12 }).filter((text) => text.isWellFormed()),
  fc.constantFrom(
    "yes",
    "null",
    "1e3",
    "0x1",
    "~",
    "-",
    "a: b",
    "a #b",
    "<|im_end|>",
    "./x y",
    ".inf",
    "2024-01-01",
    "",
    " a",
    "a ",
    "*a",
    "!x",
    "on",
    "=",
    "<<",
  ),
  fc.double({ noNaN: true, noDefaultInfinity: true }).filter((value) => !Object.is(value, -0)),
  fc.integer(),
  fc.boolean(),
);
const { value } = fc.letrec<{ value: YamlValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    scalar,
    fc.array(tie("value"), { minLength: 1, maxLength: 3 }),
    fc.dictionary(fc.stringMatching(/^[a-z_]{1,8}$/), tie("value"), { minKeys: 1, maxKeys: 3, noNullPrototype: true }),
  ),
}));

test.each(["1.1", "1.2"] as const)("what is written is what a YAML %s parser reads", (version) => {
  fc.assert(
    fc.property(fc.dictionary(fc.stringMatching(/^[a-z_]{1,8}$/), value, { minKeys: 1, noNullPrototype: true }), (record) => {
      expect(parse(yamlText(record, ["a comment", ""]), { version })).toEqual(record);
    }),
  );
});

test("small numbers have a dot and a signed exponent, without which PyYAML reads a string", () => {
  expect(yamlText({ a: 1e-8, b: 2.5e-9, c: 1e21, d: 5e-5 })).toBe("a: 1.0e-8\nb: 2.5e-9\nc: 1.0e+21\nd: 0.00005\n");
});
