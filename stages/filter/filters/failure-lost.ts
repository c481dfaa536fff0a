import { above, checked, type Filter, findings } from "./filter.ts";

/** The memory does not say that what was run last failed (papers/complexity-trap.txt 4.4: such memories lengthen runs). */
export const failureLost: Filter = {
  scope: "block",
  blames: "memory",
  limit: "maxLostFailures",
  fails: (block, { maxLostFailures }) => above(checked(block, "failure-keeping", findings), maxLostFailures),
};
