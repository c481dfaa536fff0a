import { above, type Filter } from "./filter.ts";

/** The run goes round in circles somewhere: the same turns, with the same answers. */
export const looping: Filter = {
  scope: "trajectory",
  limit: "maxLoopSteps",
  fails: (metrics, { maxLoopSteps }) => above(metrics.longestLoopSteps, maxLoopSteps),
};
