import { above, type Filter } from "./filter.ts";

/** The run ends in an error state that it does not get out of. CAT 2.4 (5): unrecoverable error states. */
export const stuck: Filter = {
  scope: "trajectory",
  limit: "maxStuckSteps",
  fails: (metrics, { maxStuckSteps }) => above(metrics.stuckSteps, maxStuckSteps),
};
