import assert from "node:assert/strict";
import { test } from "node:test";
import { nextRun, nextRuns, NoRunError, parseExpression, prevRun, prevRuns } from "../../src/index.js";

const day = (date) => date.toISOString().slice(0, 10);
const next = (expression, from) => day(nextRun(parseExpression(expression), new Date(from)));
const prev = (expression, from) => day(prevRun(parseExpression(expression), new Date(from)));

test("every start day of a year finds the first of February", () => {
  for (let at = Date.UTC(2022, 1, 1, 12); at < Date.UTC(2023, 1, 1); at += 86_400_000) {
    assert.equal(next("0 6 1 2 *", at), "2023-02-01", new Date(at).toISOString());
  }
});

test("every start day of a year finds the first of January before it", { timeout: 20_000 }, () => {
  for (let at = Date.UTC(2024, 0, 2); at < Date.UTC(2025, 0, 1); at += 86_400_000) {
    assert.equal(prev("0 0 1 1 *", at), "2024-01-01", new Date(at).toISOString());
  }
});

test("the last day of February does not depend on what was asked before", () => {
  const runs = (from) => nextRuns(parseExpression("0 0 L 2 *"), new Date(from), 3).map(day);
  assert.deepEqual(runs("2023-01-01T00:00:00Z"), ["2023-02-28", "2024-02-29", "2025-02-28"]);
  assert.deepEqual(runs("2024-01-01T00:00:00Z"), ["2024-02-29", "2025-02-28", "2026-02-28"]);
  assert.deepEqual(prevRuns(parseExpression("0 0 L 2 *"), new Date("2025-03-31T00:00:00Z"), 3).map(day), ["2025-02-28", "2024-02-29", "2023-02-28"]);
  assert.deepEqual(prevRuns(parseExpression("0 0 L * *"), new Date("2100-03-31T00:00:00Z"), 3).map(day), ["2100-02-28", "2100-01-31", "2099-12-31"]);
});

test("leap days over the turn of a century", () => {
  assert.equal(next("0 0 29 2 *", "2096-02-29T00:00:00Z"), "2104-02-29");
  assert.equal(prev("0 0 29 2 *", "2104-02-29T00:00:00Z"), "2096-02-29");
  assert.equal(next("0 0 29 2 *", "2096-02-28T00:00:00Z"), "2096-02-29");
});

test("what never comes is an error, soon", { timeout: 5_000 }, () => {
  for (const expression of ["0 0 30 2 *", "0 0 31 4,6,9,11 *"]) {
    assert.throws(() => next(expression, "2024-01-31T00:00:00Z"), NoRunError);
    assert.throws(() => prev(expression, "2024-03-31T00:00:00Z"), NoRunError);
  }
});
