import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { LoadError, load, ReferenceError } from "../src/index.js";

describe("load", () => {
  let folder;
  const file = (name, text) => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };
  before(() => {
    folder = mkdtempSync(join(tmpdir(), "stanza-"));
  });
  after(() => {
    rmSync(folder, { recursive: true });
  });

  test("later files win", () => {
    const base = file("base.conf", "[server]\nhost = a\nport = 1\n");
    const site = file("site.conf", "[server]\nport = 2\n");
    assert.deepEqual(load([base, site]), { server: { host: "a", port: 2 } });
  });

  test("defaults come first", () => {
    const path = file("d.conf", "[x]\na = 1\n");
    assert.deepEqual(load([path], { defaults: { x: { a: 0, b: 0 }, y: true } }), { x: { a: 1, b: 0 }, y: true });
  });

  test("the environment comes last", () => {
    const path = file("e.conf", "[server]\nport = 1\n");
    assert.deepEqual(load([path], { env: { APP_SERVER__PORT: "9", HOME: "/" }, prefix: "APP_" }), { server: { port: 9 } });
  });

  test("an included file comes before the file", () => {
    file("inner.conf", "a = 1\nb = 1\n");
    const path = file("outer.conf", "include = inner.conf\nb = 2\n");
    assert.deepEqual(load([path]), { a: 1, b: 2 });
  });

  test("appends to the list of a lower layer", () => {
    const low = file("low.conf", "items = [a]\n");
    const high = file("high.conf", "items[] = b\nitems[] = c\n");
    assert.deepEqual(load([low, high]), { items: ["a", "b", "c"] });
  });

  test("resolves references over all layers", () => {
    const low = file("r1.conf", "[web]\nname = low\nurl = http://${web.name}/\n");
    const high = file("r2.conf", "[web]\nname = high\n");
    assert.equal(load([low, high]).web.url, "http://high/");
  });

  test("a whole reference keeps the type", () => {
    const path = file("t.conf", "[types]\nn = 5\nsame = ${types.n}\ntext = n${types.n}\nliteral = $${types.n}\n");
    assert.deepEqual(load([path]).types, { n: 5, same: 5, text: "n5", literal: "${types.n}" });
  });

  test("names the chain of a bad reference", () => {
    const path = file("c.conf", "one = ${two}\ntwo = ${three}\nthree = ${one}\n");
    assert.throws(() => load([path]), (error) => error instanceof ReferenceError && /circle of references: two -> three -> one -> two/.test(error.message));
    assert.throws(() => load([file("m.conf", "a = ${nope}\n")]), /no such key: nope/);
  });

  test("a file that is not there, or includes itself", () => {
    assert.throws(() => load([join(folder, "none.conf")]), LoadError);
    assert.throws(() => load([file("self.conf", "include = self.conf\n")]), LoadError);
  });
});
