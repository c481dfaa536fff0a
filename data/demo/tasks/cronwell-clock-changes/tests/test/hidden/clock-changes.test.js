import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { nextRuns, parseExpression, prevRuns } from "../../src/index.js";

/** Zone, expression, start, and the runs after it in order. */
const CASES = [
  ["Europe/Berlin", "30 2 * * *", "2024-03-30T02:00Z", ["2024-03-31T01:00Z", "2024-04-01T00:30Z"]],
  ["Europe/Berlin", "30 * * * *", "2024-03-31T00:00Z", ["2024-03-31T00:30Z", "2024-03-31T01:30Z", "2024-03-31T02:30Z"]],
  ["Europe/Berlin", "*/20 2 * * *", "2024-03-30T01:30Z", ["2024-03-30T01:40Z", "2024-03-31T01:00Z", "2024-04-01T00:00Z"]],
  ["Europe/Berlin", "0 2,3 * * *", "2024-03-30T03:00Z", ["2024-03-31T01:00Z", "2024-04-01T00:00Z"]],
  ["Europe/Berlin", "30 2 * * *", "2024-10-26T02:00Z", ["2024-10-27T00:30Z", "2024-10-28T01:30Z"]],
  ["Europe/Berlin", "*/30 * * * *", "2024-10-26T23:45Z", ["2024-10-27T00:00Z", "2024-10-27T00:30Z", "2024-10-27T01:00Z", "2024-10-27T01:30Z", "2024-10-27T02:00Z"]],
  ["Europe/Berlin", "*/30 1-3 * * *", "2024-10-27T00:00Z", ["2024-10-27T00:30Z", "2024-10-27T02:00Z", "2024-10-27T02:30Z"]],
  ["America/New_York", "30 2 * * *", "2024-03-09T08:00Z", ["2024-03-10T07:00Z", "2024-03-11T06:30Z"]],
  ["America/New_York", "30 1 * * *", "2024-11-02T06:00Z", ["2024-11-03T05:30Z", "2024-11-04T06:30Z"]],
  ["Australia/Lord_Howe", "15 2 * * *", "2024-10-05T00:00Z", ["2024-10-05T15:30Z", "2024-10-06T15:15Z"]],
  ["Australia/Lord_Howe", "45 1 * * *", "2024-04-06T00:00Z", ["2024-04-06T14:45Z", "2024-04-07T15:15Z"]],
  ["Australia/Lord_Howe", "*/15 * * * *", "2024-04-06T14:25Z", ["2024-04-06T14:30Z", "2024-04-06T14:45Z", "2024-04-06T15:00Z", "2024-04-06T15:15Z", "2024-04-06T15:30Z"]],
  ["America/Sao_Paulo", "0 0 * * *", "2018-11-03T04:00Z", ["2018-11-04T03:00Z", "2018-11-05T02:00Z"]],
  ["America/Sao_Paulo", "30 0 4 11 *", "2018-11-01T00:00Z", ["2018-11-04T03:00Z"]],
];

const minute = (date) => date.toISOString().slice(0, 16) + "Z";

for (const [zone, expression, from, runs] of CASES) {
  describe(`${expression} in ${zone}`, () => {
    test("next", () => {
      assert.deepEqual(nextRuns(parseExpression(expression), new Date(from), runs.length, { zone }).map(minute), runs);
    });
    test("previous", () => {
      const after = new Date(new Date(runs.at(-1)).getTime() + 60_000);
      assert.deepEqual(prevRuns(parseExpression(expression), after, runs.length, { zone }).map(minute), [...runs].reverse());
    });
  });
}
