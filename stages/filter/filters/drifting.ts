import { above, type Filter, findings, worst } from "./filter.ts";

/** Some memory contradicts, alters or loses a rule of the task. */
export const drifting: Filter = {
  scope: "context",
  fails: ({ blocks }, { maxDrifts }) => above(worst(blocks, "drift", findings), maxDrifts),
};
