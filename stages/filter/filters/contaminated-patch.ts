import { largestShare } from "../../lib/contamination/largest-share.ts";
import { above, type Filter } from "./filter.ts";

/** The run's patch has too much of the reference patch of a task that models are evaluated on. */
export const contaminatedPatch: Filter = {
  scope: "trajectory",
  limit: "maxEvaluationPatchShare",
  fails: ({ contamination: { patch } }, { maxEvaluationPatchShare }) => above(largestShare(patch), maxEvaluationPatchShare),
};
