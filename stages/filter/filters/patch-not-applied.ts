import type { Filter } from "./filter.ts";

/** The patch could not be applied where it was tested. */
export const patchNotApplied: Filter = {
  scope: "trajectory",
  limit: "allowUnappliedPatch",
  fails: (metrics, { allowUnappliedPatch }) =>
    metrics.patchApplies === false && !allowUnappliedPatch ? { value: false, limit: true } : null,
};
