import { above, type Filter } from "./filter.ts";

/** Test files of the repository are deleted, or have fewer tests or assertions than before. */
export const testsWeakened: Filter = {
  scope: "trajectory",
  limit: "maxTestFilesWeakened",
  fails: (metrics, { maxTestFilesWeakened }) => above(metrics.testFilesWeakened, maxTestFilesWeakened),
};
