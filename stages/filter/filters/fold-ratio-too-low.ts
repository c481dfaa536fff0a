import { below, type Filter } from "./filter.ts";

/** The memory is so short against what it replaces that hardly anything is remembered. */
export const foldRatioTooLow: Filter = {
  scope: "block",
  blames: "memory",
  limit: "minFoldRatio",
  fails: ({ foldRatio }, { minFoldRatio }) => below(foldRatio, minFoldRatio),
};
