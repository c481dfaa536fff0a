import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { formatValue, parse, parseValue } from "../../src/index.js";

const STRINGS = [
  "plain", "two words", "", " ", "  both  ", "\t", "a\tb", "0042", "42", "-3", "+3", "1_000", "1.5", "2e3", "30s", "1.5h", "true", "OFF", "Yes", "no",
  "red # or blue", "red ; or blue", "# red", ";", "a#b", 'say "hi"', '"', '"quoted"', 'a"b', "C:\\new\\table", 'C:\\new\\ "x"', "\\", "ends with \\", '\\"',
  "two\nlines", "\r\n", "carriage\rreturn", "[", "[a]", "[a, b]", "]", "a, b", ",", "${x.y}", "http://x/?a=1;b=2", "caf\u00e9", "\u0000", "\u001b[0m", "\u00a0x\u00a0", "a]b", "[a",
];

describe("values", () => {
  for (const value of STRINGS) {
    test(`string ${JSON.stringify(value)}`, () => {
      assert.equal(parseValue(formatValue(value)), value);
      const document = parse("a = 1 # one\nb = 2\n");
      document.set("a", value);
      const again = parse(document.toString());
      assert.equal(again.get("a"), value);
      assert.equal(again.get("b"), 2);
      assert.match(document.toString(), / # one\n/);
      document.set("b", [value, "x", value]);
      assert.deepEqual(parse(document.toString()).get("b"), [value, "x", value]);
    });
  }
  for (const value of [0, -1, 1.5, 1e21, 1e-7, true, false, [], [""], [1, "1", true, "true"], ["a # b", "c"]]) {
    test(`value ${JSON.stringify(value)}`, () => {
      const document = parse("");
      document.set("x.y", value);
      assert.deepEqual(parse(document.toString()).get("x.y"), value);
    });
  }
  test("what needs no quotes has none", () => {
    for (const value of ["plain", "two words", "a#b", "C:\\new\\table", "http://x/?a=1;b=2", "127.0.0.1", "12 monkeys", "on air"]) {
      assert.equal(formatValue(value), value);
    }
  });
});

describe("reading", () => {
  test("an escaped quote does not end the quotes", () => {
    assert.equal(parse('a = "say \\" # now" # comment\n').get("a"), 'say " # now');
    assert.deepEqual(parse('a = ["x \\", # y", z] ; comment\n').get("a"), ['x ", # y', "z"]);
  });
});

describe("files", () => {
  const FILE = "[one]\nhost   =  x    ; the host\ntext = a\n  b\n\n  \nnext = 1\n\n# about two\n[two]\nk=1\n";
  test("set keeps the spaces and the comment", () => {
    const document = parse(FILE);
    document.set("one.host", "y");
    document.set("two.k", 2);
    assert.equal(document.toString(), FILE.replace("=  x", "=  y").replace("k=1", "k=2"));
  });
  test("a value of several lines is replaced as a whole", () => {
    const document = parse(FILE);
    document.set("one.text", "c");
    assert.equal(document.toString(), FILE.replace("a\n  b\n", "c\n"));
    assert.equal(parse(document.toString()).get("one.text"), "c");
  });
  test("a value of several lines is removed as a whole", () => {
    const document = parse(FILE);
    assert.equal(document.unset("one.text"), true);
    assert.equal(document.toString(), FILE.replace("text = a\n  b\n", ""));
  });
  test("a new key comes after the last entry of its section", () => {
    const document = parse(FILE);
    document.set("one.extra", "e");
    assert.equal(document.toString(), FILE.replace("next = 1\n", "next = 1\nextra = e\n"));
    const last = parse("[a]\nx = 1\n");
    last.set("a.y", 2);
    assert.equal(last.toString(), "[a]\nx = 1\ny = 2\n");
    const long = parse("[a]\nx = 1\n  2\n\n[b]\n");
    long.set("a.y", 2);
    assert.equal(long.toString(), "[a]\nx = 1\n  2\ny = 2\n\n[b]\n");
  });
  test("CRLF stays CRLF", () => {
    const crlf = FILE.replaceAll("\n", "\r\n");
    const document = parse(crlf);
    document.set("one.host", "y");
    document.set("one.extra", "e");
    document.set("new.key", "v");
    assert.equal(document.toString().replaceAll("\r\n", "").includes("\n"), false);
    assert.equal(document.toString().includes("\r\r"), false);
    assert.equal(parse(document.toString()).get("one.host"), "y");
    assert.equal(parse(crlf).toString(), crlf);
  });
});
