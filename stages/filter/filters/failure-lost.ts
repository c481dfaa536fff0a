import { above, type Filter, findings, worst } from "./filter.ts";

/** Some memory does not say that what was run last failed (papers/complexity-trap.txt 4.4: such memories lengthen runs). */
export const failureLost: Filter = {
  scope: "context",
  fails: ({ blocks }, { maxLostFailures }) => above(worst(blocks, "failure-keeping", findings), maxLostFailures),
};
