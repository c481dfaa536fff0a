import type { Filter } from "./filter.ts";

/** An earlier stage rejected the trajectory, so it has no segments. Its base sample may still be kept. Always on. */
export const rejectedUpstream: Filter = {
  scope: "context",
  limit: null,
  fails: ({ trajectory }) => (trajectory.rejectedBy === null ? null : { value: trajectory.rejectedBy, limit: null }),
};
