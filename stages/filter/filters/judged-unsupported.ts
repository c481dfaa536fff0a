import { above, type Filter } from "./filter.ts";

/** A second opinion by a model names statements of the memory that nothing supports. Passes where none was asked for, or none came. */
export const judgedUnsupported: Filter = {
  scope: "block",
  blames: "memory",
  limit: "maxJudged",
  fails: ({ judgedFindings }, { maxJudged }) => above(judgedFindings, maxJudged),
};
