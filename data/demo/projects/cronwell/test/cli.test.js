import assert from "node:assert/strict";
import { test } from "node:test";
import { main } from "../src/cli.js";

function run(...argv) {
  const out = [];
  const err = [];
  const code = main(argv, { out: (line) => out.push(line), err: (line) => err.push(line) });
  return { code, out, err };
}

test("next lists runs", () => {
  assert.deepEqual(run("next", "0 12 * * *", "--from", "2024-01-01T00:00:00Z", "--count", "2"), {
    code: 0,
    out: ["2024-01-01T12:00:00.000Z", "2024-01-02T12:00:00.000Z"],
    err: [],
  });
});

test("prev lists runs", () => {
  assert.deepEqual(run("prev", "0 12 * * *", "--from", "2024-01-01T00:00:00Z").out, ["2023-12-31T12:00:00.000Z"]);
});

test("describe explains", () => {
  assert.deepEqual(run("describe", "@hourly").out, ["at minute 0 of every hour"]);
});

test("a bad expression is exit code 1", () => {
  const { code, err } = run("next", "61 * * * *");
  assert.equal(code, 1);
  assert.deepEqual(err, ["cronwell: minute: 61 is not between 0 and 59"]);
});

test("bad usage is exit code 2", () => {
  assert.equal(run("next").code, 2);
  assert.equal(run("sing", "* * * * *").code, 2);
  assert.equal(run("next", "* * * * *", "--when", "now").code, 2);
});
