import { above, type Filter } from "./filter.ts";

/** Too many edits fail, or change nothing. */
export const noOpEdits: Filter = {
  scope: "trajectory",
  limit: "maxNoOpEditShare",
  fails: (metrics, { maxNoOpEditShare }) => above(metrics.noOpEditShare, maxNoOpEditShare),
};
