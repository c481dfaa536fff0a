import assert from "node:assert/strict";
import { describe as suite, test } from "node:test";
import { describe, parseExpression } from "../src/index.js";

suite("describe", () => {
  const cases = [
    ["* * * * *", "every minute"],
    ["*/15 * * * *", "every 15 minutes"],
    ["5 * * * *", "at minute 5 of every hour"],
    ["* 8 * * *", "every minute of hour 8"],
    ["*/30 8-18 * * MON-FRI", "every 30 minutes of hour 8 to 18, on Monday to Friday"],
    ["0 9,17 * * *", "at 09:00 and 17:00"],
    ["0 0 1,15 * *", "at 00:00, on the 1st and 15th"],
    ["0 0 L * *", "at 00:00, on the last day"],
    ["0 0 13 * FRI", "at 00:00, on the 13th or on Friday"],
    ["0 12 * JUN-AUG *", "at 12:00, in June to August"],
    ["@yearly", "at 00:00, on the 1st, in January"],
  ];
  for (const [source, expected] of cases) {
    test(source, () => {
      assert.equal(describe(parseExpression(source)), expected);
    });
  }
});
