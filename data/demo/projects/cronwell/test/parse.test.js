import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { CronSyntaxError, parseExpression } from "../src/index.js";

describe("parseExpression", () => {
  test("reads lists, ranges and steps", () => {
    const schedule = parseExpression("0,30 8-10 1-31/10 */6 1-5");
    assert.deepEqual(schedule.minute, [0, 30]);
    assert.deepEqual(schedule.hour, [8, 9, 10]);
    assert.deepEqual(schedule.dayOfMonth, [1, 11, 21, 31]);
    assert.deepEqual(schedule.month, [1, 7]);
    assert.deepEqual(schedule.dayOfWeek, [1, 2, 3, 4, 5]);
  });

  test("reads a start with a step to the end of the field", () => {
    assert.deepEqual(parseExpression("5/20 * * * *").minute, [5, 25, 45]);
  });

  test("reads names of months and weekdays in any case", () => {
    const schedule = parseExpression("0 0 * jan-Mar mon,WED");
    assert.deepEqual(schedule.month, [1, 2, 3]);
    assert.deepEqual(schedule.dayOfWeek, [1, 3]);
  });

  test("sorts and drops repeated values", () => {
    assert.deepEqual(parseExpression("30,0,30 * * * *").minute, [0, 30]);
  });

  test("knows L alone and in a list", () => {
    assert.equal(parseExpression("0 0 L * *").lastDay, true);
    assert.deepEqual(parseExpression("0 0 1,L * *").dayOfMonth, [1]);
    assert.equal(parseExpression("0 0 1 * *").lastDay, false);
  });

  test("marks stars", () => {
    const schedule = parseExpression("0 * * * 1");
    assert.equal(schedule.anyHour, true);
    assert.equal(schedule.anyDay, true);
    assert.equal(schedule.anyWeekday, false);
  });

  for (const [macro, hour] of [["@daily", [0]], ["@midnight", [0]], ["@WEEKLY", [0]], ["@monthly", [0]], ["@yearly", [0]]]) {
    test(`expands ${macro}`, () => {
      assert.deepEqual(parseExpression(macro).hour, hour);
    });
  }

  const bad = [
    ["* * * *", "expected 5 fields, got 4"],
    ["60 * * * *", "minute: 60 is not between 0 and 59"],
    ["* 24 * * *", "hour: 24 is not between 0 and 23"],
    ["* * 0 * *", "dayOfMonth: 0 is not between 1 and 31"],
    ["* * * 13 *", "month: 13 is not between 1 and 12"],
    ["* * * * FOO", 'dayOfWeek: "FOO" is not a value'],
    ["10-5 * * * *", 'minute: "10-5" runs backwards'],
    ["*/0 * * * *", 'minute: "0" is not a step'],
    ["1/2/3 * * * *", 'minute: "1/2/3" has more than one "/"'],
    ["1,,2 * * * *", "minute: an item of the list is empty"],
    ["@fortnightly", 'unknown macro "@fortnightly"'],
  ];
  for (const [source, message] of bad) {
    test(`refuses ${source}`, () => {
      assert.throws(() => parseExpression(source), (error) => error instanceof CronSyntaxError && error.message === message);
    });
  }
});
