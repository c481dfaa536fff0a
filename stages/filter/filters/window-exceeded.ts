import { above, type Filter } from "./filter.ts";

/** Some model call of the sample does not fit: prompt + reply reserve, or prompt + its own reply. Always on; nothing is ever cut inside a turn. */
export const windowExceeded: Filter = {
  scope: "sample",
  limit: null,
  fails: ({ neededTokens }, { windowTokens }) => above(neededTokens, windowTokens),
};
