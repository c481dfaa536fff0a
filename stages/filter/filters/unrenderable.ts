import type { Filter } from "./filter.ts";

/** The persona cannot render the run: unparsable arguments, a missing result, a call without counterpart. Always on: there is no text to train on. */
export const unrenderable: Filter = {
  scope: "trajectory",
  limit: null,
  fails: (metrics) => (metrics.unrenderable.length === 0 ? null : { value: metrics.unrenderable.join(" "), limit: null }),
};
