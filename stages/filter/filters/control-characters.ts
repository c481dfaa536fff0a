import { above, type Filter } from "./filter.ts";

/** Control characters in the texts, such as the colours of a terminal. */
export const controlCharacters: Filter = {
  scope: "trajectory",
  limit: "maxControlCharacters",
  fails: (metrics, { maxControlCharacters }) => above(metrics.controlCharacters, maxControlCharacters),
};
