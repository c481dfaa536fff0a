import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { nextRun, nextRuns, NoRunError, parseExpression, prevRun, prevRuns } from "../src/index.js";

function next(expression, from, options) {
  return nextRun(parseExpression(expression), new Date(from), options).toISOString();
}

function prev(expression, from, options) {
  return prevRun(parseExpression(expression), new Date(from), options).toISOString();
}

describe("nextRun", () => {
  const cases = [
    ["* * * * *", "2024-01-01T00:00:00Z", "2024-01-01T00:01:00.000Z"],
    ["* * * * *", "2024-01-01T00:00:30Z", "2024-01-01T00:01:00.000Z"],
    ["*/15 * * * *", "2024-01-01T00:50:00Z", "2024-01-01T01:00:00.000Z"],
    ["0 9 * * *", "2024-01-01T09:00:00Z", "2024-01-02T09:00:00.000Z"],
    ["0 0 1 * *", "2024-01-15T00:00:00Z", "2024-02-01T00:00:00.000Z"],
    ["0 0 1 1 *", "2024-01-15T00:00:00Z", "2025-01-01T00:00:00.000Z"],
    ["30 4 * * MON-FRI", "2024-03-01T12:00:00Z", "2024-03-04T04:30:00.000Z"],
    ["0 0 13 * FRI", "2024-09-07T00:00:00Z", "2024-09-13T00:00:00.000Z"],
    ["0 0 L * *", "2023-04-15T00:00:00Z", "2023-04-30T00:00:00.000Z"],
    ["59 23 31 12 *", "2024-01-01T00:00:00Z", "2024-12-31T23:59:00.000Z"],
  ];
  for (const [expression, from, expected] of cases) {
    test(`${expression} after ${from}`, () => {
      assert.equal(next(expression, from), expected);
    });
  }

  test("lists several runs", () => {
    const runs = nextRuns(parseExpression("0 */8 * * *"), new Date("2024-01-01T03:00:00Z"), 3);
    assert.deepEqual(
      runs.map((run) => run.toISOString()),
      ["2024-01-01T08:00:00.000Z", "2024-01-01T16:00:00.000Z", "2024-01-02T00:00:00.000Z"],
    );
  });

  test("throws for a day that never comes", () => {
    assert.throws(() => next("0 0 30 2 *", "2024-01-01T00:00:00Z"), NoRunError);
  });
});

describe("prevRun", () => {
  const cases = [
    ["* * * * *", "2024-01-01T00:00:30Z", "2024-01-01T00:00:00.000Z"],
    ["* * * * *", "2024-01-01T00:01:00Z", "2024-01-01T00:00:00.000Z"],
    ["0 9 * * *", "2024-01-01T09:00:00Z", "2023-12-31T09:00:00.000Z"],
    ["0 0 1 1 *", "2024-01-15T00:00:00Z", "2024-01-01T00:00:00.000Z"],
    ["30 4 * * MON-FRI", "2024-03-03T12:00:00Z", "2024-03-01T04:30:00.000Z"],
  ];
  for (const [expression, from, expected] of cases) {
    test(`${expression} before ${from}`, () => {
      assert.equal(prev(expression, from), expected);
    });
  }

  test("lists several runs, the latest first", () => {
    const runs = prevRuns(parseExpression("0 12 * * SAT"), new Date("2024-01-10T00:00:00Z"), 2);
    assert.deepEqual(runs.map((run) => run.toISOString()), ["2024-01-06T12:00:00.000Z", "2023-12-30T12:00:00.000Z"]);
  });
});

describe("zones", () => {
  test("reads the expression on the wall of the zone", () => {
    assert.equal(next("30 4 * * *", "2024-01-10T00:00:00Z", { zone: "Europe/Berlin" }), "2024-01-10T03:30:00.000Z");
    assert.equal(next("30 4 * * *", "2024-07-10T00:00:00Z", { zone: "Europe/Berlin" }), "2024-07-10T02:30:00.000Z");
    assert.equal(next("0 9 * * *", "2024-07-10T00:00:00Z", { zone: "Asia/Kolkata" }), "2024-07-10T03:30:00.000Z");
  });

  test("looks back on the wall of the zone", () => {
    assert.equal(prev("0 9 * * *", "2024-01-10T00:00:00Z", { zone: "America/New_York" }), "2024-01-09T14:00:00.000Z");
  });

  test("refuses an unknown zone", () => {
    assert.throws(() => next("* * * * *", "2024-01-01T00:00:00Z", { zone: "Mars/Olympus" }), /unknown time zone "Mars\/Olympus"/);
  });
});
