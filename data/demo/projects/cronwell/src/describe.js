import { FIELDS, MONTH_NAMES, WEEKDAY_NAMES } from "./fields.js";

/** A schedule in English. */
export function describe(schedule) {
  return [describeTime(schedule), describeDays(schedule), describeMonths(schedule)].filter((part) => part !== "").join(", ");
}

function describeTime({ minute, hour }) {
  if (isFull(minute, 0) && isFull(hour, 1)) return "every minute";
  const every = stepOf(minute, 0);
  if (every !== null && isFull(hour, 1)) return `every ${every} minutes`;
  if (isFull(hour, 1)) return `at minute ${list(minute.map(String))} of every hour`;
  if (isFull(minute, 0)) return `every minute of hour ${list(spans(hour).map(spanText))}`;
  if (every !== null) return `every ${every} minutes of hour ${list(spans(hour).map(spanText))}`;
  if (minute.length * hour.length <= 6) {
    return `at ${list(hour.flatMap((h) => minute.map((m) => `${two(h)}:${two(m)}`)))}`;
  }
  return `at minute ${list(minute.map(String))} of hour ${list(spans(hour).map(spanText))}`;
}

function describeDays(schedule) {
  const parts = [];
  if (!schedule.anyDay) {
    const days = schedule.dayOfMonth.map(ordinal);
    if (schedule.lastDay) days.push("last day");
    parts.push(`on the ${list(days)}`);
  }
  if (!schedule.anyWeekday) {
    const names = spans(schedule.dayOfWeek).map(([from, to]) => {
      if (from === to) return WEEKDAY_NAMES[from];
      return `${WEEKDAY_NAMES[from]} to ${WEEKDAY_NAMES[to]}`;
    });
    parts.push(`on ${list(names)}`);
  }
  return parts.join(" or ");
}

function describeMonths({ month }) {
  if (isFull(month, 3)) return "";
  const names = spans(month).map(([from, to]) => {
    if (from === to) return MONTH_NAMES[from - 1];
    return `${MONTH_NAMES[from - 1]} to ${MONTH_NAMES[to - 1]}`;
  });
  return `in ${list(names)}`;
}

function isFull(values, fieldIndex) {
  const { min, max } = FIELDS[fieldIndex];
  return values.length === max - min + 1;
}

/** 15 for 0, 15, 30, 45; null if the values are not the whole field in equal steps. */
function stepOf(values, fieldIndex) {
  const { min, max } = FIELDS[fieldIndex];
  if (values.length < 2 || values[0] !== min) return null;
  const step = values[1] - values[0];
  if (step < 2) return null;
  const regular = values.every((value, index) => value === min + index * step);
  return regular && values.at(-1) + step > max ? step : null;
}

/** Runs of neighbours: [1, 2, 3, 5] is [[1, 3], [5, 5]]. */
function spans(values) {
  const found = [];
  for (const value of values) {
    const last = found.at(-1);
    if (last !== undefined && last[1] === value - 1) last[1] = value;
    else found.push([value, value]);
  }
  return found;
}

function spanText([from, to]) {
  return from === to ? String(from) : `${from} to ${to}`;
}

function ordinal(day) {
  const tens = Math.floor(day / 10);
  const suffix = tens === 1 ? "th" : ({ 1: "st", 2: "nd", 3: "rd" })[day % 10] ?? "th";
  return `${day}${suffix}`;
}

function list(items) {
  if (items.length < 2) return items.join("");
  return `${items.slice(0, -1).join(", ")} and ${items.at(-1)}`;
}

function two(number) {
  return String(number).padStart(2, "0");
}
