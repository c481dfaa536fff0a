import { above, type Filter } from "./filter.ts";

/** Turns in mid-run that call no tool: malformed calls answered by a format error, or nudged ones. Their protocol is not the persona's. */
export const callLessSteps: Filter = {
  scope: "trajectory",
  limit: "maxCallLessSteps",
  fails: (metrics, { maxCallLessSteps }) => above(metrics.callLessSteps, maxCallLessSteps),
};
