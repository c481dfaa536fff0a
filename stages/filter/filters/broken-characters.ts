import { above, type Filter } from "./filter.ts";

/** Text that was damaged on its way: U+FFFD, lone surrogates, misread UTF-8. */
export const brokenCharacters: Filter = {
  scope: "trajectory",
  limit: "maxBrokenCharacters",
  fails: (metrics, { maxBrokenCharacters }) => above(metrics.brokenCharacters, maxBrokenCharacters),
};
