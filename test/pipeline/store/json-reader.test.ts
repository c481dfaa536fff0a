import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { jsonReader } from "../../../pipeline/store/json-reader.ts";
import { Metrics } from "../../../schemas/metrics.ts";
import { rowOf } from "../../../schemas/row.ts";
import { Verdict } from "../../../schemas/verdict.ts";

/** What the reader makes of a text that ends with a line; undefined where it cannot tell, or does not take all of it. */
function read<T extends z.ZodType>(schema: T, text: string): z.infer<T> | undefined {
  const bytes = Buffer.from(`${text}\n`);
  const reader = jsonReader(schema, bytes);
  const value = reader.read(0);
  return reader.end === bytes.length - 1 ? value : undefined;
}

const plainNumber = fc.oneof(fc.nat(), fc.maxSafeNat(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.constant(0.888462));
const anyText = fc.oneof(
  fc.string(),
  fc.string({ unit: "binary" }),
  fc.constantFrom("", "submitted", 'a"b', "a\\", "é", "🫠", "\u2028", "__proto__"),
);

/** Values of the shape of a schema, whatever its rules about them are. */
function valuesOf(schema: z.core.$ZodType): fc.Arbitrary<unknown> {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case "number":
      return plainNumber;
    case "string":
      return anyText;
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    case "enum":
      return fc.constantFrom(...Object.values(def.entries));
    case "literal":
      return fc.constantFrom(...def.values);
    case "nullable":
      return fc.option(valuesOf(def.innerType));
    case "optional":
      return valuesOf(def.innerType);
    case "array":
      return fc.array(valuesOf(def.element), { maxLength: 3 });
    case "record":
      return fc.dictionary(anyText, valuesOf(def.valueType), { maxKeys: 4 });
    case "tuple":
      return fc.tuple(...def.items.map(valuesOf));
    case "union":
      return fc.oneof(...def.options.map(valuesOf));
    case "object": {
      const names = Object.keys(def.shape);
      const values = names.map((name) => valuesOf(def.shape[name] as z.core.$ZodType));
      return fc.tuple(...values).map((all) => Object.fromEntries(all.map((value, index) => [names[index], value])));
    }
    default:
      throw new Error(`no values of ${def.type} are made here`);
  }
}

const shapes = {
  metrics: rowOf(Metrics),
  verdict: rowOf(Verdict),
  value: Metrics,
  numbers: z.array(z.number()),
  texts: z.array(z.string()),
};

describe.each(Object.entries(shapes))("%s", (_, schema: z.ZodType) => {
  test("what JSON.stringify writes is read as JSON.parse reads it", () => {
    fc.assert(
      fc.property(valuesOf(schema), (value) => {
        const text = JSON.stringify(value);
        const found = read(schema, text);
        if (text.includes('"__proto__":')) expect([undefined, text]).toContain(found === undefined ? undefined : JSON.stringify(found));
        else {
          expect(found).toStrictEqual(JSON.parse(text));
          expect(JSON.stringify(found)).toBe(text);
        }
      }),
      { numRuns: 100 },
    );
  });

  test("a damaged text is read as JSON.parse reads it, or not at all", () => {
    const damage = fc.tuple(fc.nat(), fc.constantFrom("", "0", "1", "-", ".", "e", '"', "\\", "{", "]", ",", " ", "null", "é"), fc.nat(3));
    fc.assert(
      fc.property(valuesOf(schema), damage, (value, [place, put, cut]) => {
        const whole = JSON.stringify(value);
        const at = place % (whole.length + 1);
        const text = Buffer.from(whole.slice(0, at) + put + whole.slice(at + cut)).toString(); // halves of pairs are no UTF-8
        const found = read(schema, text);
        if (found !== undefined) expect(found).toStrictEqual(JSON.parse(text));
      }),
      { numRuns: 300 },
    );
  });
});

test.each(["01", "1.", ".5", "-", "1e", "+1", "1.2.3", "00", "0.", "-01", "1 "])("%s is no number", (text) => {
  expect(read(z.array(z.number()), `[${text}]`)).toBeUndefined();
});

test.each(["0", "-0", "9007199254740993", "123456789012345678", "0.1", "1e21", "5e-324", "1.7976931348623157e308", "0.30000000000000004"])(
  "%s is the double that JSON.parse makes of it",
  (text) => {
    const [found] = read(z.array(z.number()), `[${text}]`) ?? [];
    expect(Object.is(found, JSON.parse(text))).toBe(true);
  },
);

test("names of records are those of this record, not of the one before", () => {
  const schema = z.array(z.record(z.string(), z.number()));
  const text = '[{"a":1,"bc":2},{"a":1,"b":2},{"bc":1,"a\\"":2},{"é":1},{"a":1,"bc":2,"c":3}]';
  expect(read(schema, text)).toStrictEqual(JSON.parse(text));
});

test("other names, another order, an additional field or spaces are left to JSON.parse", () => {
  const schema = z.strictObject({ first: z.number(), second: z.number() });
  for (const text of [
    '{"second":1,"first":2}',
    '{"first":1,"second":2,"third":3}',
    '{"first":1}',
    '{"first": 1,"second":2}',
    '{"firsT":1,"second":2}',
  ])
    expect(read(schema, text)).toBeUndefined();
  expect(read(schema, '{"first":1,"second":2}')).toStrictEqual({ first: 1, second: 2 });
});
