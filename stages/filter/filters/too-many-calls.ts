import { above, type Filter } from "./filter.ts";

/** More context calls than wanted. CAT Table 1: at most 26; 2.4 (5): excessively frequent tool invocations. */
export const tooManyCalls: Filter = {
  scope: "context",
  limit: "maxContextCalls",
  fails: ({ blocks }, { maxContextCalls }) => above(blocks.length, maxContextCalls),
};
