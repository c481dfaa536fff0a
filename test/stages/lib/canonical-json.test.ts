import fc from "fast-check";
import { expect, test } from "vitest";
import { canonicalJson } from "../../../stages/lib/canonical-json.ts";

test("equal values have one canonical text, whatever the order of their keys", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const shuffled = (inner: unknown): unknown =>
        Array.isArray(inner)
          ? inner.map(shuffled)
          : inner !== null && typeof inner === "object"
            ? Object.fromEntries(
                Object.entries(inner)
                  .reverse()
                  .map(([key, child]) => [key, shuffled(child)]),
              )
            : inner;
      expect(canonicalJson(shuffled(value))).toBe(canonicalJson(value));
      expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

test("what JSON cannot say is refused instead of dropped", () => {
  expect(() => canonicalJson({ a: undefined })).toThrow(TypeError);
  expect(() => canonicalJson({ a: Number.NaN })).toThrow(TypeError);
  expect(() => canonicalJson(1n)).toThrow(TypeError);
  expect(() => canonicalJson([undefined])).toThrow(TypeError);
  expect(() => canonicalJson({ 1: 0, a: [undefined] })).toThrow(TypeError);
});

test("a key named __proto__ counts like any other", () => {
  expect(canonicalJson(JSON.parse('{"__proto__": 1}'))).toBe('{"__proto__":1}');
});

test("keys stand in the order of their code units, numbers among them, at any depth", () => {
  expect(canonicalJson({ b: 1, a: [{ d: null, c: true }] })).toBe('{"a":[{"c":true,"d":null}],"b":1}');
  expect(canonicalJson([{ b: { 9: 1, 10: 2, "-": 3 } }])).toBe('[{"b":{"-":3,"10":2,"9":1}}]');
  expect(canonicalJson(JSON.parse('[{"b": {"a": 1}}, {"z": 0, "__proto__": {"2": 1, "1": 2}}]'))).toBe(
    '[{"b":{"a":1}},{"__proto__":{"1":2,"2":1},"z":0}]',
  );
});
