import { above, checked, type Filter, findings } from "./filter.ts";

/** The memory knows what was first seen after its cut. */
export const leaking: Filter = {
  scope: "block",
  blames: "memory",
  limit: "maxLeaks",
  fails: (block, { maxLeaks }) => above(checked(block, "no-leak", findings), maxLeaks),
};
