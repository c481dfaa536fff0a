import { above, type Filter, share, worst } from "./filter.ts";

/** Too much of what later steps use, and only the fold had shown, is gone from sight behind some memory. */
export const insufficient: Filter = {
  scope: "context",
  fails: ({ blocks }, { maxMissingShare }) => above(worst(blocks, "sufficient", share), maxMissingShare),
};
