import { above, type Filter, findings, worst } from "./filter.ts";

/** Some memory tells tests, files or edits otherwise than they were last seen. */
export const untrueState: Filter = {
  scope: "context",
  fails: ({ blocks }, { maxUntrueStates }) => above(worst(blocks, "state-true", findings), maxUntrueStates),
};
