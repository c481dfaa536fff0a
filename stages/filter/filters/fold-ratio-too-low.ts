import { below, type Filter, smallest } from "./filter.ts";

/** Some memory is so short against what it replaces that hardly anything is remembered. */
export const foldRatioTooLow: Filter = {
  scope: "context",
  fails: ({ blocks }, { minFoldRatio }) => below(smallest(blocks.map((block) => block.foldRatio)), minFoldRatio),
};
