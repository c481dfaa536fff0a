import assert from "node:assert/strict";
import { test } from "node:test";
import { CronSyntaxError, describe, nextRun, parseExpression } from "../../src/index.js";

const days = (text) => parseExpression(`0 10 * * ${text}`).dayOfWeek;

for (const [text, expected] of [
  ["7", [0]],
  ["0,7", [0]],
  ["5-7", [0, 5, 6]],
  ["FRI-SUN", [0, 5, 6]],
  ["fri-7", [0, 5, 6]],
  ["0-7", [0, 1, 2, 3, 4, 5, 6]],
  ["SUN-TUE", [0, 1, 2]],
  ["SUN", [0]],
  ["SUN-SUN", [0]],
  ["1-7/2", [0, 1, 3, 5]],
  ["*/2", [0, 2, 4, 6]],
  ["5/1", [5, 6]],
]) {
  test(`${text} is ${expected}`, () => {
    assert.deepEqual(days(text), expected);
  });
}

test("7 finds a Sunday", () => {
  assert.equal(nextRun(parseExpression("0 10 * * 7"), new Date("2024-03-01T00:00:00Z")).toISOString(), "2024-03-03T10:00:00.000Z");
});

test("the whole week is described like a star", () => {
  assert.equal(describe(parseExpression("0 10 * * 7")), "at 10:00, on Sunday");
});

test("what runs backwards is still refused", () => {
  for (const text of ["SAT-MON", "3-1", "8", "6-8", "7-1"]) assert.throws(() => days(text), CronSyntaxError, text);
});
