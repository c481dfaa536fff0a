import { above, checked, type Filter, share } from "./filter.ts";

/** Too much of what later steps use, and only the fold had shown, is gone from sight behind the memory. */
export const insufficient: Filter = {
  scope: "block",
  blames: "memory",
  limit: "maxMissingShare",
  fails: (block, { maxMissingShare }) => above(checked(block, "sufficient", share), maxMissingShare),
};
