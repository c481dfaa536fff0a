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
});

test("a key named __proto__ counts like any other", () => {
  expect(canonicalJson(JSON.parse('{"__proto__": 1}'))).toBe('{"__proto__":1}');
});
