import { below, type Filter } from "./filter.ts";

/** The call folds fewer tokens than it is worth. CAT 2.4 (5): frequent invocations with minimal information gain. */
export const foldTooSmall: Filter = {
  scope: "block",
  blames: "call",
  limit: "minFoldTokens",
  fails: ({ foldTokens }, { minFoldTokens }) => below(foldTokens, minFoldTokens),
};
