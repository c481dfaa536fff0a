import { above, type Filter, largest } from "./filter.ts";

/** Some memory is so long against what it replaces that the call gains too little. CAT Table 1: 30 % on average. */
export const foldRatioTooHigh: Filter = {
  scope: "context",
  fails: ({ blocks }, { maxFoldRatio }) => above(largest(blocks.map((block) => block.foldRatio)), maxFoldRatio),
};
