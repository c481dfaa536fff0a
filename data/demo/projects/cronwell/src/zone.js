import { ZoneError } from "./errors.js";

const formats = new Map();

function formatFor(zone) {
  let format = formats.get(zone);
  if (format === undefined) {
    try {
      format = new Intl.DateTimeFormat("en-US", {
        timeZone: zone,
        hourCycle: "h23",
        year: "numeric",
        month: "numeric",
        day: "numeric",
        hour: "numeric",
        minute: "numeric",
        second: "numeric",
      });
    } catch {
      throw new ZoneError(zone);
    }
    formats.set(zone, format);
  }
  return format;
}

/** The wall clock of a zone at an instant, as a cursor (see calendar.js). */
export function toWall(instant, zone) {
  if (zone === "UTC") return new Date(instant);
  const parts = {};
  for (const { type, value } of formatFor(zone).formatToParts(instant)) parts[type] = Number(value);
  const milliseconds = ((instant.getTime() % 1000) + 1000) % 1000;
  return new Date(Date.UTC(parts.year, parts.month - 1, parts.day, parts.hour, parts.minute, parts.second, milliseconds));
}

/** Wall clock minus UTC, in milliseconds. */
export function offsetAt(instant, zone) {
  return toWall(instant, zone).getTime() - instant.getTime();
}

/** The instant at which the wall of a zone shows the cursor's time. */
export function fromWall(wall, zone) {
  if (zone === "UTC") return new Date(wall);
  return new Date(wall.getTime() - offsetAt(wall, zone));
}
