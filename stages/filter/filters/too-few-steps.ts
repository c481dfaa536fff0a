import { below, type Filter } from "./filter.ts";

/** The base trajectory is shorter than wanted, steps. */
export const tooFewSteps: Filter = { scope: "trajectory", limit: "minSteps", fails: ({ steps }, { minSteps }) => below(steps, minSteps) };
