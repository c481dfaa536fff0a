import { above, type Filter } from "./filter.ts";

/** The memory is the previous one again, word for word: the call was made too soon. CAT 2.4 (5): too frequent calls. */
export const repeatingMemory: Filter = {
  scope: "block",
  blames: "call",
  limit: "maxRepeatedMemoryShare",
  fails: ({ repeatedMemoryShare }, { maxRepeatedMemoryShare }) => above(repeatedMemoryShare, maxRepeatedMemoryShare),
};
