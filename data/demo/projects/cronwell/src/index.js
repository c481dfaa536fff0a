export { parseCrontab } from "./crontab.js";
export { describe } from "./describe.js";
export { CronSyntaxError, NoRunError, ZoneError } from "./errors.js";
export { parseExpression } from "./parse.js";
export { Scheduler } from "./scheduler.js";
export { nextRun, nextRuns, prevRun, prevRuns } from "./search.js";
