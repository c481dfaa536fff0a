import { CronSyntaxError } from "./errors.js";
import { FIELDS, MACROS } from "./fields.js";

/**
 * Text to schedule. A schedule is a frozen object with one sorted array of numbers per field, and
 * - `lastDay`: the day-of-month field names `L`
 * - `anyHour`, `anyDay`, `anyWeekday`: the field is `*`
 */
export function parseExpression(source) {
  if (typeof source !== "string") {
    throw new CronSyntaxError(`expected a string, got ${typeof source}`, { source });
  }
  const text = source.trim();
  const expanded = text.startsWith("@") ? expandMacro(text) : text;
  const parts = expanded.split(/\s+/).filter((part) => part !== "");
  if (parts.length !== FIELDS.length) {
    throw new CronSyntaxError(`expected ${FIELDS.length} fields, got ${parts.length}`, { source });
  }

  const schedule = { source: text, lastDay: false };
  FIELDS.forEach((field, index) => {
    let part = parts[index];
    if (field.name === "dayOfMonth") {
      const items = part.split(",");
      const others = items.filter((item) => item.toUpperCase() !== "L");
      schedule.lastDay = others.length < items.length;
      part = others.join(",");
      if (part === "") {
        schedule.dayOfMonth = [];
        return;
      }
    }
    schedule[field.name] = parseField(part, field, source);
  });

  schedule.anyHour = parts[1] === "*";
  schedule.anyDay = parts[2] === "*";
  schedule.anyWeekday = parts[4] === "*";
  return Object.freeze(schedule);
}

function expandMacro(text) {
  const expanded = MACROS[text.toLowerCase()];
  if (expanded === undefined) {
    throw new CronSyntaxError(`unknown macro "${text}"`, { source: text });
  }
  return expanded;
}

function parseField(text, field, source) {
  const values = new Set();
  for (const item of text.split(",")) {
    for (const value of parseItem(item, field, source)) values.add(value);
  }
  return [...values].sort((a, b) => a - b);
}

function parseItem(item, field, source) {
  const fail = (message) => {
    throw new CronSyntaxError(message, { source, field: field.name });
  };
  if (item === "") fail("an item of the list is empty");

  const [range, stepText, ...rest] = item.split("/");
  if (rest.length > 0) fail(`"${item}" has more than one "/"`);
  const step = stepText === undefined ? 1 : Number(stepText);
  if (!Number.isInteger(step) || step < 1) fail(`"${stepText}" is not a step`);

  let from;
  let to;
  if (range === "*") {
    from = field.min;
    to = field.max;
  } else if (range.includes("-")) {
    const ends = range.split("-");
    if (ends.length !== 2) fail(`"${range}" is not a range`);
    from = parseValue(ends[0], field, fail);
    to = parseValue(ends[1], field, fail);
  } else {
    from = parseValue(range, field, fail);
    to = stepText === undefined ? from : field.max;
  }
  if (from > to) fail(`"${range}" runs backwards`);

  const values = [];
  for (let value = from; value <= to; value += step) values.push(value);
  return values;
}

function parseValue(text, field, fail) {
  const named = field.names[text.toUpperCase()];
  if (named !== undefined) return named;
  if (!/^\d+$/.test(text)) fail(`"${text}" is not a value`);
  const value = Number(text);
  if (value < field.min || value > field.max) {
    fail(`${value} is not between ${field.min} and ${field.max}`);
  }
  return value;
}
