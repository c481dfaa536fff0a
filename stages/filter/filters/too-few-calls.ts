import { below, type Filter } from "./filter.ts";

/** Fewer context calls than wanted: nothing to learn about them. */
export const tooFewCalls: Filter = {
  scope: "context",
  limit: "minContextCalls",
  fails: ({ blocks, trajectory }, { minContextCalls }) => (trajectory.rejectedBy === null ? below(blocks.length, minContextCalls) : null),
};
