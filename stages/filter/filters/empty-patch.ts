import type { Filter } from "./filter.ts";

/** The run hands in a patch that changes nothing. */
export const emptyPatch: Filter = {
  scope: "trajectory",
  limit: "allowEmptyPatch",
  fails: (metrics, { allowEmptyPatch }) => (metrics.hasPatch === false && !allowEmptyPatch ? { value: false, limit: true } : null),
};
