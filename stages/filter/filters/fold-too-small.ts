import { below, type Filter, smallest } from "./filter.ts";

/** Some call folds fewer tokens than it is worth. CAT 2.4 (5): frequent invocations with minimal information gain. */
export const foldTooSmall: Filter = {
  scope: "context",
  fails: ({ blocks }, { minFoldTokens }) => below(smallest(blocks.map((block) => block.foldTokens)), minFoldTokens),
};
