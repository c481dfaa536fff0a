import { above, type Filter } from "./filter.ts";

/** The answer may be read from where the project is published. */
export const webRead: Filter = {
  scope: "trajectory",
  limit: "maxWebReads",
  fails: (metrics, { maxWebReads }) => above(metrics.webReads, maxWebReads),
};
