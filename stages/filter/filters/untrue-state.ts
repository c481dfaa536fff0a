import { above, checked, type Filter, findings } from "./filter.ts";

/** The memory tells tests, files or edits otherwise than they were last seen. */
export const untrueState: Filter = {
  scope: "block",
  blames: "memory",
  limit: "maxUntrueStates",
  fails: (block, { maxUntrueStates }) => above(checked(block, "state-true", findings), maxUntrueStates),
};
