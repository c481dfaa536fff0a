import { above, type Filter } from "./filter.ts";

/** Too many calls were stopped because they took too long. */
export const timingOut: Filter = {
  scope: "trajectory",
  limit: "maxTimeouts",
  fails: (metrics, { maxTimeouts }) => above(metrics.timeouts, maxTimeouts),
};
