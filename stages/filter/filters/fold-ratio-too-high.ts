import { above, type Filter } from "./filter.ts";

/** The memory is so long against what it replaces that the call gains too little. CAT Table 1: 30 % on average. */
export const foldRatioTooHigh: Filter = {
  scope: "block",
  blames: "call",
  limit: "maxFoldRatio",
  fails: ({ foldRatio }, { maxFoldRatio }) => above(foldRatio, maxFoldRatio),
};
