import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { jsonMembers, jsonObject, jsonString, spacedJson, stringMember } from "../../../stages/lib/json-text.ts";

/** Left: JSON text; right: what Python 3 makes of it with `json.dumps(json.loads(text), ensure_ascii=False)`. */
const python: readonly (readonly [string, string])[] = [
  ['{"a":1,"b":[1,2,{"c":null}]}', '{"a": 1, "b": [1, 2, {"c": null}]}'],
  ["{}", "{}"],
  ["[]", "[]"],
  ['{"a":{}}', '{"a": {}}'],
  ['{ "a" : [ ] }', '{"a": []}'],
  ['\r\n\t{"a":1}\n', '{"a": 1}'],
  ['{"\\u003ctool_call>":"\\u00e9\\u2028\\u007f"}', '{"<tool_call>": "\u00e9\u2028\u007f"}'],
  ['{"s":"\\/\\b\\f\\n\\r\\t\\u0001\\u001f"}', '{"s": "/\\b\\f\\n\\r\\t\\u0001\\u001f"}'],
  ['{"e":"\\ud83d\\ude00"}', '{"e": "\u{1f600}"}'],
  ['"x"', '"x"'],
  ["true", "true"],
  ['{"q":"\\"\\\\"}', '{"q": "\\"\\\\"}'],
  ['{"n":-1,"f":1.5,"z":0}', '{"n": -1, "f": 1.5, "z": 0}'],
  ['{"k":"a,b:c{}[]"}', '{"k": "a,b:c{}[]"}'],
  ['{"u":"\\u0041\\u0022\\u005c"}', '{"u": "A\\"\\\\"}'],
  ['{"tab":"a\\u0009b"}', '{"tab": "a\\tb"}'],
  ['[[],[[]],{"a":[{}]}]', '[[], [[]], {"a": [{}]}]'],
  ['{"del":"\x7f","nbsp":"\xa0","ls":"\u2028"}', '{"del": "\x7f", "nbsp": "\xa0", "ls": "\u2028"}'],
  ['{"html":"<a href=\'x\'>&</a>"}', '{"html": "<a href=\'x\'>&</a>"}'],
];

describe("spacedJson", () => {
  test.each(python)("%j is spaced as Python does it", (text, expected) => {
    expect(spacedJson(text)).toBe(expected);
  });

  test("numbers keep the way they are written, however large or odd", () => {
    const numbers = "[1.0, 1e400, -0, 0.10, 123456789012345678901234567890, 1E+2, 5e-324]";
    expect(spacedJson(numbers.replaceAll(" ", ""))).toBe(numbers);
  });

  test("repeated keys and `__proto__` stay, in order", () => {
    expect(spacedJson('{"a":1,"__proto__":{"x":2},"a":3,"1":4,"0":5}')).toBe('{"a": 1, "__proto__": {"x": 2}, "a": 3, "1": 4, "0": 5}');
  });

  test("a lone surrogate that is escaped becomes the replacement character, since no trainer can store it", () => {
    expect(spacedJson('["\\ud800","\\udc00x","\\ud83d\\u0041"]')).toBe('["\ufffd", "\ufffdx", "\ufffdA"]');
  });

  test.each([
    "",
    " ",
    "{",
    '{"a":1',
    "{'a': 1}",
    '{"a":1}{',
    "01",
    "+1",
    ".5",
    "1.",
    "NaN",
    "Infinity",
    '"\n"',
    '"\\x41"',
    '["a",]',
    "\ufeff{}",
    "\u00a0{}",
    "tru",
    "nul",
    "--1",
    "1e",
  ])("%j is no JSON", (text) => {
    expect(spacedJson(text)).toBeNull();
    expect(jsonMembers(text)).toBeNull();
  });

  const value = fc.jsonValue({ maxDepth: 4 });
  const layouts = [undefined, 1, 4, "\t"];

  test("means the same value, in whatever layout it comes, and is spaced once and for all", () => {
    fc.assert(
      fc.property(value, fc.constantFrom(...layouts), (any, layout) => {
        const spaced = spacedJson(JSON.stringify(any, null, layout));
        expect(JSON.parse(spaced ?? "")).toEqual(JSON.parse(JSON.stringify(any)));
        expect(spacedJson(spaced ?? "")).toBe(spaced);
        expect(spacedJson(JSON.stringify(any))).toBe(spaced);
      }),
      { seed: 1, numRuns: 500 },
    );
  });

  test("is text exactly for what the engine reads as JSON", () => {
    const nearly = fc.string({
      unit: fc.constantFrom(
        "{",
        "}",
        "[",
        "]",
        ":",
        ",",
        '"',
        "\\",
        "1",
        "-",
        ".",
        "e",
        "true",
        "null",
        " ",
        "\n",
        "\u2028",
        "\0",
        "u0041",
      ),
    });
    fc.assert(
      fc.property(nearly, (text) => {
        let valid = true;
        try {
          JSON.parse(text);
        } catch {
          valid = false;
        }
        expect(spacedJson(text) !== null).toBe(valid);
      }),
      { seed: 2, numRuns: 3000 },
    );
  });
});

describe("jsonMembers", () => {
  test("gives keys decoded and values as they are written, repeated keys included", () => {
    expect(
      jsonMembers(' {"a\\u0062": "x\\n", "n": 1.0, "o": {"k": [1, {"z": ":"}]}, "ab": null, "": "", "e": {} , "__proto__": 1}'),
    ).toEqual([
      { key: "ab", value: '"x\\n"' },
      { key: "n", value: "1.0" },
      { key: "o", value: '{"k":[1,{"z":":"}]}' },
      { key: "ab", value: "null" },
      { key: "", value: '""' },
      { key: "e", value: "{}" },
      { key: "__proto__", value: "1" },
    ]);
  });

  test.each(["[]", '"{}"', "1", "null", "true", '[{"a": 1}]'])("%j is no object", (text) => {
    expect(jsonMembers(text)).toBeNull();
  });

  test("put together again they are the object, spaced", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue({ maxDepth: 3 })), (object) => {
        const text = JSON.stringify(object);
        expect(jsonObject(jsonMembers(text) ?? [])).toBe(spacedJson(text));
      }),
      { seed: 3, numRuns: 500 },
    );
  });

  test("stringMember takes the last of repeated keys, as parsers do, and nothing but strings", () => {
    const members = jsonMembers('{"a": "first", "a": "l\\u0061st", "n": 1, "s": null}') ?? [];
    expect([stringMember(members, "a"), stringMember(members, "n"), stringMember(members, "s"), stringMember(members, "gone")]).toEqual([
      "last",
      null,
      null,
      null,
    ]);
  });
});

test("jsonString is Python's string for any well-formed text", () => {
  expect(jsonString('"\\/\u0000\u001f\u007f\u2028\u2029é😀\ud800')).toBe('"\\"\\\\/\\u0000\\u001f\u007f\u2028\u2029é😀\ufffd"');
});

describe("hostile sizes", () => {
  test("nesting 100,000 deep neither breaks nor changes", () => {
    const deep = `{"a": ${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
    expect(spacedJson(deep)).toBe(deep);
    expect(jsonMembers(deep)).toHaveLength(1);
  });

  test.each([
    ["of letters", "x"],
    ["of escapes", "\n"],
  ])("a string of 25 million characters %s is read whole", (_, character) => {
    const text = JSON.stringify({ file_text: character.repeat(25_000_000) });
    expect(spacedJson(text)?.length).toBe(text.length + 1);
    expect(jsonMembers(text)?.[0]?.value.length).toBe(text.length - '{"file_text":}'.length);
  });

  const shapes: Record<string, (size: number) => string> = {
    "a long list": (size) => `[${"1,".repeat(size)}1]`,
    "a deep list": (size) => `${"[".repeat(size)}${"]".repeat(size)}`,
    "many members": (size) => `{${Array.from({ length: size / 10 }, (_, index) => `"k${index}":"\\u0041"`).join(",")}}`,
    "a long string of escapes": (size) => `["${"\\n".repeat(size)}"]`,
    blanks: (size) => `[${" ".repeat(size)}1${" ".repeat(size)}]`,
    "a string that never ends": (size) => `["${"a".repeat(size)}`,
    digits: (size) => `[${"7".repeat(size)}]`,
  };

  test.each(Object.entries(shapes))("%s takes time in proportion to its length", { retry: 4 }, (_, make) => {
    const fastest = (text: string): number =>
      Math.min(
        ...[0, 1, 2].map(() => {
          const start = performance.now();
          spacedJson(text);
          return performance.now() - start;
        }),
      );
    expect(fastest(make(300_000))).toBeLessThan(40 * fastest(make(30_000)) + 10); // 10 times the text; 100 times if it were quadratic
  });
});
