import {
  addMinutes,
  endOfPreviousDay,
  endOfPreviousHour,
  endOfPreviousMonth,
  isLastDay,
  startOfNextDay,
  startOfNextHour,
  startOfNextMonth,
} from "./calendar.js";
import { NoRunError } from "./errors.js";
import { fromWall, toWall } from "./zone.js";

/** How far to look before saying that there is no run. */
const SEARCH_YEARS = 4;

const FORWARD = { month: startOfNextMonth, day: startOfNextDay, hour: startOfNextHour, minutes: 1 };
const BACKWARD = { month: endOfPreviousMonth, day: endOfPreviousDay, hour: endOfPreviousHour, minutes: -1 };

/** First run after `from`. Throws `NoRunError`. */
export function nextRun(schedule, from, { zone = "UTC" } = {}) {
  const wall = toWall(from, zone);
  wall.setUTCSeconds(0, 0);
  const found = search(schedule, addMinutes(wall, 1), FORWARD);
  if (found === null) throw new NoRunError(schedule.source, from, SEARCH_YEARS);
  return fromWall(found, zone);
}

/** Last run before `from`. Throws `NoRunError`. */
export function prevRun(schedule, from, { zone = "UTC" } = {}) {
  const wall = toWall(from, zone);
  const onTheMinute = wall.getUTCSeconds() === 0 && wall.getUTCMilliseconds() === 0;
  wall.setUTCSeconds(0, 0);
  const found = search(schedule, onTheMinute ? addMinutes(wall, -1) : wall, BACKWARD);
  if (found === null) throw new NoRunError(schedule.source, from, SEARCH_YEARS);
  return fromWall(found, zone);
}

export function nextRuns(schedule, from, count, options = {}) {
  return repeat(nextRun, schedule, from, count, options);
}

export function prevRuns(schedule, from, count, options = {}) {
  return repeat(prevRun, schedule, from, count, options);
}

function repeat(one, schedule, from, count, options) {
  const runs = [];
  let at = from;
  while (runs.length < count) {
    at = one(schedule, at, options);
    runs.push(at);
  }
  return runs;
}

/** Walks the wall clock from `start` in one direction to the first minute that matches, or to null. */
function search(schedule, start, direction) {
  const months = new Set(schedule.month);
  const hours = new Set(schedule.hour);
  const minutes = new Set(schedule.minute);

  let cursor = start;
  while (Math.abs(cursor.getUTCFullYear() - start.getUTCFullYear()) <= SEARCH_YEARS) {
    if (!months.has(cursor.getUTCMonth() + 1)) cursor = direction.month(cursor);
    else if (!matchesDay(schedule, cursor)) cursor = direction.day(cursor);
    else if (!hours.has(cursor.getUTCHours())) cursor = direction.hour(cursor);
    else if (!minutes.has(cursor.getUTCMinutes())) cursor = addMinutes(cursor, direction.minutes);
    else return cursor;
  }
  return null;
}

function matchesDay(schedule, cursor) {
  const byDay = schedule.dayOfMonth.includes(cursor.getUTCDate()) || (schedule.lastDay && isLastDay(cursor));
  const byWeekday = schedule.dayOfWeek.includes(cursor.getUTCDay());
  if (schedule.anyDay) return byWeekday;
  if (schedule.anyWeekday) return byDay;
  return byDay || byWeekday;
}
