import type { PlacementReport } from "../../schemas/sidecars.ts";

/** A detection's placement report where nobody reads it. */
export const noPlacement: PlacementReport = { objective: 0, costTokens: 0, appendOnlyCostTokens: 0, points: [], pastOnly: null };
