import { above, type Filter } from "./filter.ts";

/** So many values about people were scrubbed that there may be more that no rule knows. */
export const scrubbedPersonal: Filter = {
  scope: "trajectory",
  limit: "maxScrubbedPersonalValues",
  fails: (metrics, { maxScrubbedPersonalValues }) => above(metrics.scrubbedPersonalValues, maxScrubbedPersonalValues),
};
