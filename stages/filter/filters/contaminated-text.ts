import { largestShare } from "../../lib/contamination/largest-share.ts";
import { above, type Filter } from "./filter.ts";

/** The run's task text has too much of a task that models are evaluated on, whatever its id says. */
export const contaminatedText: Filter = {
  scope: "trajectory",
  limit: "maxEvaluationTextShare",
  fails: ({ contamination: { text } }, { maxEvaluationTextShare }) => above(largestShare(text), maxEvaluationTextShare),
};
