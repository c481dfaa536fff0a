import type { Filter } from "./filter.ts";

/** The run's context was already condensed, so it is no complete base trajectory (CAT 2.4, phase I). */
export const preCondensed: Filter = {
  scope: "trajectory",
  limit: "allowPreCondensed",
  fails: (metrics, { allowPreCondensed }) => (metrics.preCondensed && !allowPreCondensed ? { value: true, limit: false } : null),
};
