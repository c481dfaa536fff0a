import { above, type Filter } from "./filter.ts";

/** Too many calls fail. */
export const failingCalls: Filter = {
  scope: "trajectory",
  limit: "maxFailedCallShare",
  fails: (metrics, { maxFailedCallShare }) => above(metrics.failedCallShare, maxFailedCallShare),
};
