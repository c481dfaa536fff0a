import { above, type Filter } from "./filter.ts";

/** The base trajectory is longer than wanted, steps. CAT Table 1: at most 500. */
export const tooManySteps: Filter = { scope: "trajectory", limit: "maxSteps", fails: ({ steps }, { maxSteps }) => above(steps, maxSteps) };
