import { above, type Filter } from "./filter.ts";

/** The patch touches files that the run never names: it is of another run, or something else wrote them. */
export const patchMismatch: Filter = {
  scope: "trajectory",
  limit: "maxPatchFilesUnseen",
  fails: (metrics, { maxPatchFilesUnseen }) => above(metrics.patchFilesUnseen, maxPatchFilesUnseen),
};
