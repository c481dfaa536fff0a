import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { load, ReferenceError } from "../../src/index.js";

let folder;
const file = (name, text) => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};
before(() => {
  folder = mkdtempSync(join(tmpdir(), "stale-"));
});
after(() => {
  rmSync(folder, { recursive: true });
});

const defaults = () => ({ server: { host: "localhost", port: 80, url: "http://${server.host}:${server.port}" }, log: { targets: ["stderr"], rules: [{ level: "info" }] } });

test("two tenants in one process", () => {
  const shared = defaults();
  const a = load([file("a.conf", "[server]\nhost = a.example\n[log]\ntargets[] = a.log\n")], { defaults: shared });
  const b = load([file("b.conf", "[server]\nport = 81\n[log]\ntargets[] = b.log\n")], { defaults: shared });
  assert.equal(a.server.url, "http://a.example:80");
  assert.equal(b.server.url, "http://localhost:81");
  assert.deepEqual(a.log.targets, ["stderr", "a.log"]);
  assert.deepEqual(b.log.targets, ["stderr", "b.log"]);
  assert.deepEqual(shared, defaults());
});

test("frozen defaults are fine", () => {
  const frozen = Object.freeze({ list: Object.freeze(["x"]), deep: Object.freeze({ k: 1 }) });
  const path = file("f.conf", "list[] = y\n[deep]\nk = 2\n");
  assert.deepEqual(load([path], { defaults: frozen }), { list: ["x", "y"], deep: { k: 2 } });
  assert.deepEqual(load([path], { defaults: frozen }), { list: ["x", "y"], deep: { k: 2 } });
});

test("a changed file and a changed included file are read again", () => {
  file("inner.conf", "[in]\nvalue = 1\n");
  const path = file("outer.conf", "include = inner.conf\n[out]\nvalue = 1\nboth = ${in.value}/${out.value}\n");
  assert.equal(load([path]).out.both, "1/1");
  file("inner.conf", "[in]\nvalue = 2\n");
  assert.equal(load([path]).out.both, "2/1");
  file("outer.conf", "include = inner.conf\n[out]\nvalue = 3\nboth = ${in.value}/${out.value}\n");
  assert.equal(load([path]).out.both, "2/3");
});

test("results are not connected", () => {
  const path = file("r.conf", "items[] = one\n[same]\nlist = [1, 2]\nalias = ${same.list}\n");
  const first = load([path], { defaults: { items: [], rules: [{ level: "info" }] } });
  const shared = defaults();
  const other = load([path], { defaults: shared });
  other.log.rules[0].level = "loud";
  other.log.targets.push("x");
  assert.deepEqual(shared, defaults());
  first.items.push("two");
  first.same.list.push(3);
  first.same.alias.push(4);
  const second = load([path], { defaults: { items: [] } });
  assert.deepEqual(second.items, ["one"]);
  assert.deepEqual(second.same, { list: [1, 2], alias: [1, 2] });
});

test("a list that is appended to twice is appended to once per file", () => {
  const low = file("low.conf", "items = [a]\n");
  const high = file("high.conf", "items[] = b\n");
  for (let round = 0; round < 3; round += 1) assert.deepEqual(load([low, high]), { items: ["a", "b"] });
  assert.deepEqual(load([low]), { items: ["a"] });
});

test("variables of the environment are those of the call", () => {
  const path = file("v.conf", "home = ${env:HOME}\n");
  assert.equal(load([path], { env: { HOME: "/a" } }).home, "/a");
  assert.equal(load([path], { env: { HOME: "/b" } }).home, "/b");
  assert.throws(() => load([path]), ReferenceError);
});

test("a circle is found also after a good load", () => {
  const path = file("c.conf", "x = ${y}\ny = 1\n");
  assert.equal(load([path]).x, 1);
  file("c.conf", "x = ${y}\ny = ${x}\n");
  assert.throws(() => load([path]), ReferenceError);
});

test("long chains of references stay cheap", { timeout: 5_000 }, () => {
  const lines = ['v0 = ""'];
  for (let index = 1; index <= 40; index += 1) lines.push(`v${index} = \${v${index - 1}}\${v${index - 1}}`);
  assert.equal(load([file("long.conf", `${lines.join("\n")}\n`)]).v40, "");
});
