import { above, type Filter } from "./filter.ts";

/** So many values were scrubbed that the run is about them. */
export const scrubbed: Filter = {
  scope: "trajectory",
  limit: "maxScrubbedValues",
  fails: (metrics, { maxScrubbedValues }) => above(metrics.scrubbedValues, maxScrubbedValues),
};
