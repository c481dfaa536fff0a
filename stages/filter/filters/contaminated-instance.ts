import type { Filter } from "./filter.ts";

/** The run is on an instance that models are evaluated on, found by its id. */
export const contaminatedInstance: Filter = {
  scope: "trajectory",
  limit: "allowEvaluationInstances",
  fails: ({ contamination: { instance } }, { allowEvaluationInstances }) =>
    instance.length > 0 && !allowEvaluationInstances ? { value: instance.join(" "), limit: false } : null,
};
