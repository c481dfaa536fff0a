import type { Filter } from "./filter.ts";

/** The source is known to invent turns, such as a final "all is verified". */
export const fabricatedTurns: Filter = {
  scope: "trajectory",
  limit: "allowFabricatedTurns",
  fails: (metrics, { allowFabricatedTurns }) =>
    metrics.fabricatedTurns === true && !allowFabricatedTurns ? { value: true, limit: false } : null,
};
