import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { main } from "../../src/cli.js";

let folder;
let path;
before(() => {
  folder = mkdtempSync(join(tmpdir(), "get-"));
  path = join(folder, "g.conf");
  writeFileSync(path, 'zero = 0\nno = off\nempty = ""\nnone = []\nword = undefined\n');
});
after(() => {
  rmSync(folder, { recursive: true });
});

function get(...rest) {
  const out = [];
  const err = [];
  const code = main(["get", path, ...rest], { out: (line) => out.push(line), err: (line) => err.push(line) });
  return { code, out, err };
}

test("a missing key", () => {
  const { code, out, err } = get("nothing");
  assert.equal(code, 1);
  assert.deepEqual(out, []);
  assert.equal(err.length, 1);
  assert.match(err[0], /nothing/);
});

test("a missing key with a default", () => {
  assert.deepEqual(get("nothing", "--default", "x"), { code: 0, out: ["x"], err: [] });
  assert.deepEqual(get("nothing", "--default", ""), { code: 0, out: [""], err: [] });
});

test("values that are there win over the default", () => {
  assert.deepEqual(get("zero", "--default", "x").out, ["0"]);
  assert.deepEqual(get("no", "--default", "x").out, ["false"]);
  assert.deepEqual(get("empty", "--default", "x").out, [""]);
  assert.deepEqual(get("word").out, ["undefined"]);
});
