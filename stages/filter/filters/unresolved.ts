import type { Filter } from "./filter.ts";

/** No evidence that the task was solved. CAT 2.4 (5): trajectories that fail to complete the task are discarded. */
export const unresolved: Filter = {
  scope: "trajectory",
  limit: "outcome",
  fails: ({ resolved }, { outcome }) => {
    if (outcome === null || resolved === true || (outcome === "not-failed" && resolved === null)) return null;
    return { value: resolved, limit: outcome };
  },
};
