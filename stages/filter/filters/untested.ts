import { below, type Filter } from "./filter.ts";

/** The run hands in what no test has seen. */
export const untested: Filter = {
  scope: "trajectory",
  limit: "minTestRunsAfterEdit",
  fails: (metrics, { minTestRunsAfterEdit }) => below(metrics.testRunsAfterEdit, minTestRunsAfterEdit),
};
