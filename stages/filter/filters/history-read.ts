import { above, type Filter } from "./filter.ts";

/** The answer may be read from commits that HEAD does not stand on. */
export const historyRead: Filter = {
  scope: "trajectory",
  limit: "maxHistoryReads",
  fails: (metrics, { maxHistoryReads }) => above(metrics.historyReads, maxHistoryReads),
};
