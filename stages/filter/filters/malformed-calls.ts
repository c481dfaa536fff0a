import { above, type Filter } from "./filter.ts";

/** Too many calls, or turns, that no tool could take: nobody should learn their form. */
export const malformedCalls: Filter = {
  scope: "trajectory",
  limit: "maxMalformedCalls",
  fails: (metrics, { maxMalformedCalls }) => above(metrics.malformedCalls, maxMalformedCalls),
};
