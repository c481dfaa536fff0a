import { above, type Filter } from "./filter.ts";

/** The run edits sources that its patch does not hold. */
export const workLeftOut: Filter = {
  scope: "trajectory",
  limit: "maxEditedFilesUnpatched",
  fails: (metrics, { maxEditedFilesUnpatched }) => above(metrics.editedFilesUnpatched, maxEditedFilesUnpatched),
};
