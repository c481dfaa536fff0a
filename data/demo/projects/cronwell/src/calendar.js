/**
 * Wall clocks are `Date` objects whose UTC fields show the wall: a cursor at 2024-03-31T02:30:00Z is "half past two on the
 * 31st", whatever the zone. `zone.js` turns them into instants.
 */

const lengths = new Map();

/** Days of a month; `month` is 1-12. */
export function daysInMonth(year, month) {
  let length = lengths.get(month);
  if (length === undefined) {
    length = new Date(Date.UTC(year, month, 0)).getUTCDate();
    lengths.set(month, length);
  }
  return length;
}

export function isLastDay(cursor) {
  return cursor.getUTCDate() === daysInMonth(cursor.getUTCFullYear(), cursor.getUTCMonth() + 1);
}

/** First minute of the month after the cursor's. */
export function startOfNextMonth(cursor) {
  const next = new Date(cursor);
  next.setUTCMonth(next.getUTCMonth() + 1);
  next.setUTCDate(1);
  next.setUTCHours(0, 0, 0, 0);
  return next;
}

/** Last minute of the month before the cursor's. */
export function endOfPreviousMonth(cursor) {
  const previous = new Date(cursor);
  previous.setUTCMonth(previous.getUTCMonth() - 1);
  previous.setUTCDate(daysInMonth(previous.getUTCFullYear(), previous.getUTCMonth() + 1));
  previous.setUTCHours(23, 59, 0, 0);
  return previous;
}

export function startOfNextDay(cursor) {
  const next = new Date(cursor);
  next.setUTCDate(next.getUTCDate() + 1);
  next.setUTCHours(0, 0, 0, 0);
  return next;
}

export function endOfPreviousDay(cursor) {
  const previous = new Date(cursor);
  previous.setUTCDate(previous.getUTCDate() - 1);
  previous.setUTCHours(23, 59, 0, 0);
  return previous;
}

export function startOfNextHour(cursor) {
  const next = new Date(cursor);
  next.setUTCHours(next.getUTCHours() + 1, 0, 0, 0);
  return next;
}

export function endOfPreviousHour(cursor) {
  const previous = new Date(cursor);
  previous.setUTCHours(previous.getUTCHours() - 1, 59, 0, 0);
  return previous;
}

export function addMinutes(cursor, minutes) {
  return new Date(cursor.getTime() + minutes * 60_000);
}
