import { above, type Filter } from "./filter.ts";

/** Test files of the repository are changed. A test that is added to one is good work, so see `tests-weakened`, too. */
export const testsChanged: Filter = {
  scope: "trajectory",
  limit: "maxTestFilesChanged",
  fails: (metrics, { maxTestFilesChanged }) => above(metrics.testFilesChanged, maxTestFilesChanged),
};
