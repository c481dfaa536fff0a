import type { Filter } from "./filter.ts";

/** The run is in a repository that models are evaluated on. */
export const contaminatedRepository: Filter = {
  scope: "trajectory",
  limit: "allowEvaluationRepositories",
  fails: ({ contamination: { repository } }, { allowEvaluationRepositories }) =>
    repository.length > 0 && !allowEvaluationRepositories ? { value: repository.join(" "), limit: false } : null,
};
