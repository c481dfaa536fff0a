import { above, type Filter } from "./filter.ts";

/** Too many calls were made before, and got the same answer. */
export const repeatingCalls: Filter = {
  scope: "trajectory",
  limit: "maxRepeatedCallShare",
  fails: (metrics, { maxRepeatedCallShare }) => above(metrics.repeatedCallShare, maxRepeatedCallShare),
};
