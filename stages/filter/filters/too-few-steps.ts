import { below, type Filter } from "./filter.ts";

/** The base trajectory is shorter than wanted, steps. */
export const tooFewSteps: Filter = { scope: "trajectory", fails: ({ steps }, { minSteps }) => below(steps, minSteps) };
