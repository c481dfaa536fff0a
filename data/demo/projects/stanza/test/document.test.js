import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ParseError, parse } from "../src/index.js";

const TEXT = `# top
name = demo

[server]
; where
host = 127.0.0.1
port = 8080   ; behind the proxy
tags = [a, b]

[server.tls]
enabled = off

[list]
item[] = one
item[] = two

[motd]
text = Welcome.
  Be kind.
`;

describe("reading", () => {
  test("finds values by path", () => {
    const document = parse(TEXT);
    assert.equal(document.get("name"), "demo");
    assert.equal(document.get("server.host"), "127.0.0.1");
    assert.equal(document.get("server.port"), 8080);
    assert.deepEqual(document.get("server.tags"), ["a", "b"]);
    assert.equal(document.get("server.tls.enabled"), false);
    assert.deepEqual(document.get("list.item"), ["one", "two"]);
    assert.equal(document.get("motd.text"), "Welcome.\nBe kind.");
    assert.equal(document.get("server.nothing"), undefined);
  });

  test("the last entry wins", () => {
    assert.equal(parse("[a]\nx = 1\n[b]\ny = 2\n[a]\nx = 3\n").get("a.x"), 3);
  });

  test("a sign without white space before it is no comment", () => {
    assert.equal(parse("color = a#b").get("color"), "a#b");
    assert.equal(parse('color = "#fff" # white').get("color"), "#fff");
  });

  test("toObject nests", () => {
    assert.deepEqual(parse("a = 1\n[b.c]\nd = 2\n").toObject(), { a: 1, b: { c: { d: 2 } } });
  });

  test("bad lines are named", () => {
    assert.throws(() => parse("a = 1\nnonsense"), (error) => error instanceof ParseError && error.line === 2);
    assert.throws(() => parse("[open"), /line 1: "\[open" is not a section/);
    assert.throws(() => parse('a = "open'), /line 1: no closing quote/);
    assert.throws(() => parse("  lost"), /line 1: an indented line/);
  });
});

describe("writing", () => {
  test("what is not changed stays", () => {
    assert.equal(parse(TEXT).toString(), TEXT);
  });

  test("set changes a value", () => {
    const document = parse(TEXT);
    document.set("server.host", "0.0.0.0");
    assert.equal(document.get("server.host"), "0.0.0.0");
    assert.equal(document.toString(), TEXT.replace("127.0.0.1", "0.0.0.0"));
  });

  test("set adds a section", () => {
    const document = parse("a = 1\n");
    document.set("b.c", 2);
    assert.equal(document.get("b.c"), 2);
  });

  test("unset removes a line", () => {
    const document = parse(TEXT);
    assert.equal(document.unset("server.host"), true);
    assert.equal(document.unset("server.host"), false);
    assert.equal(document.toString(), TEXT.replace("host = 127.0.0.1\n", ""));
  });
});
