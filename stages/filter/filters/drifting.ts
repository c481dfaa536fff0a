import { above, checked, type Filter, findings } from "./filter.ts";

/** The memory contradicts, alters or loses a rule of the task. */
export const drifting: Filter = {
  scope: "block",
  blames: "memory",
  limit: "maxDrifts",
  fails: (block, { maxDrifts }) => above(checked(block, "drift", findings), maxDrifts),
};
