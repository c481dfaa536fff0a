import assert from "node:assert/strict";
import { test } from "node:test";
import { parseExpression, Scheduler } from "../src/index.js";

/** A clock that moves when told, and timers that fire on the way. */
function fakeTime(start) {
  let now = new Date(start).getTime();
  let timers = [];
  return {
    now: () => new Date(now),
    setTimer: (fn, ms) => {
      const timer = { fn, at: now + ms };
      timers.push(timer);
      return timer;
    },
    clearTimer: (timer) => {
      timers = timers.filter((other) => other !== timer);
    },
    advance(ms) {
      const until = now + ms;
      for (;;) {
        const due = timers.filter((timer) => timer.at <= until).sort((a, b) => a.at - b.at)[0];
        if (due === undefined) break;
        timers = timers.filter((other) => other !== due);
        now = due.at;
        due.fn();
      }
      now = until;
    },
  };
}

test("a job runs at each of its times", () => {
  const time = fakeTime("2024-01-01T00:00:30Z");
  const scheduler = new Scheduler(time);
  const runs = [];
  scheduler.add("tick", parseExpression("*/10 * * * *"), ({ due }) => runs.push(due.toISOString()));
  time.advance(25 * 60_000);
  assert.deepEqual(runs, ["2024-01-01T00:10:00.000Z", "2024-01-01T00:20:00.000Z"]);
});

test("a wait that is too long for a timer is split", () => {
  const time = fakeTime("2024-01-01T00:00:30Z");
  const scheduler = new Scheduler(time);
  let runs = 0;
  scheduler.add("yearly", parseExpression("0 0 1 7 *"), () => {
    runs += 1;
  });
  time.advance(90 * 86_400_000);
  assert.equal(runs, 0);
  time.advance(93 * 86_400_000);
  assert.equal(runs, 1);
});

test("a job that throws is reported and runs again", () => {
  const time = fakeTime("2024-01-01T00:00:30Z");
  const errors = [];
  const scheduler = new Scheduler({ ...time, onError: (error, name) => errors.push(`${name}: ${error.message}`) });
  scheduler.add("bad", parseExpression("* * * * *"), () => {
    throw new Error("no disk");
  });
  time.advance(120_000);
  assert.deepEqual(errors, ["bad: no disk", "bad: no disk"]);
});

test("list shows the next job first, and remove ends a job", () => {
  const time = fakeTime("2024-01-01T00:00:30Z");
  const scheduler = new Scheduler(time);
  scheduler.add("late", parseExpression("0 5 * * *"), () => {});
  scheduler.add("soon", parseExpression("0 1 * * *"), () => {});
  assert.deepEqual(scheduler.list().map((job) => job.name), ["soon", "late"]);
  assert.equal(scheduler.remove("soon"), true);
  assert.equal(scheduler.remove("soon"), false);
  assert.throws(() => scheduler.add("late", parseExpression("0 5 * * *"), () => {}), /exists/);
});
