import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { main } from "../src/cli.js";

let folder;
let path;
before(() => {
  folder = mkdtempSync(join(tmpdir(), "stanza-"));
  path = join(folder, "a.conf");
});
after(() => {
  rmSync(folder, { recursive: true });
});

function run(...argv) {
  const out = [];
  const err = [];
  const code = main(argv, { out: (line) => out.push(line), err: (line) => err.push(line) });
  return { code, out, err };
}

test("get prints a value", () => {
  writeFileSync(path, "[server]\nport = 80\ntags = [a, b]\n");
  assert.deepEqual(run("get", path, "server.port"), { code: 0, out: ["80"], err: [] });
  assert.deepEqual(run("get", path, "server.tags").out, ["a\nb"]);
  assert.deepEqual(run("get", path, "server.host", "--default", "localhost").out, ["localhost"]);
});

test("set and unset change the file", () => {
  writeFileSync(path, "[server]\nport = 80\n");
  assert.equal(run("set", path, "server.port", "81").code, 0);
  assert.equal(readFileSync(path, "utf8"), "[server]\nport = 81\n");
  assert.equal(run("unset", path, "server.port").code, 0);
  assert.equal(readFileSync(path, "utf8"), "[server]\n");
  assert.equal(run("unset", path, "server.port").code, 1);
});

test("list prints every key", () => {
  writeFileSync(path, "a = 1\n[b]\nc = x\n");
  assert.deepEqual(run("list", path).out, ["a = 1", "b.c = x"]);
});

test("check names problems", () => {
  const bad = join(folder, "bad.conf");
  writeFileSync(bad, "[server]\nport = 0\n");
  const schema = join(folder, "schema.json");
  writeFileSync(schema, JSON.stringify({ "server.port": { type: "integer", min: 1 } }));
  const { code, err } = run("check", bad, "--schema", schema);
  assert.equal(code, 1);
  assert.deepEqual(err, [`${bad}: server.port: 0 is less than 1`]);
});

test("bad usage is exit code 2", () => {
  assert.equal(run().code, 2);
  assert.equal(run("get", path).code, 2);
  assert.equal(run("sing", path).code, 2);
});
