import fc from "fast-check";
import { expect, test } from "vitest";
import { opened, sealed } from "../../../pipeline/store/seal.ts";

test("what was sealed comes out as it was, whatever it is", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.constantFrom(undefined, 1), (value, indent) => {
      const plain = JSON.parse(JSON.stringify({ format: "x", ...value })) as object;
      expect(opened(sealed(plain, indent))).toEqual(plain);
    }),
  );
});

test("no changed, missing or added byte goes unnoticed: what comes out is nothing, or has a key that no format knows", () => {
  const text = sealed({ format: "catgen.x/1", rows: 12, host: "a" });
  for (let at = 0; at < text.length; at += 1) {
    const flipped = `${text.slice(0, at)}${String.fromCharCode(text.charCodeAt(at) ^ 1)}${text.slice(at + 1)}`;
    for (const damaged of [flipped, text.slice(0, at), `${text.slice(0, at)}0${text.slice(at)}`, text.slice(0, at) + text.slice(at + 1)]) {
      const value = opened(damaged);
      if (value !== null) expect(Object.keys(value as object)).not.toEqual(["format", "rows", "host"]);
    }
  }
});
