import { above, type Filter } from "./filter.ts";

/** So many secrets were scrubbed that the run is about them. */
export const scrubbedSecrets: Filter = {
  scope: "trajectory",
  limit: "maxScrubbedSecrets",
  fails: (metrics, { maxScrubbedSecrets }) => above(metrics.scrubbedSecrets, maxScrubbedSecrets),
};
