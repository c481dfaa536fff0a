import { above, type Filter, findings, worst } from "./filter.ts";

/** Some memory knows what was first seen after its cut. */
export const leaking: Filter = {
  scope: "context",
  fails: ({ blocks }, { maxLeaks }) => above(worst(blocks, "no-leak", findings), maxLeaks),
};
