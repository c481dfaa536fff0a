/** The text is not a cron expression. `field` is the name of the bad field, or null. */
export class CronSyntaxError extends Error {
  constructor(message, { source, field = null } = {}) {
    super(field === null ? message : `${field}: ${message}`);
    this.name = "CronSyntaxError";
    this.source = source;
    this.field = field;
  }
}

/** The expression is fine, but no day in the years searched matches it. */
export class NoRunError extends Error {
  constructor(source, from, years) {
    super(`"${source}" has no run within ${years} years of ${from.toISOString()}`);
    this.name = "NoRunError";
    this.source = source;
  }
}

/** `Intl` does not know the zone. */
export class ZoneError extends Error {
  constructor(zone) {
    super(`unknown time zone "${zone}"`);
    this.name = "ZoneError";
    this.zone = zone;
  }
}
