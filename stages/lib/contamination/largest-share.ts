import type { Overlap } from "../../../schemas/contamination.ts";

/** 0: nothing of any task of any index is there. */
export const largestShare = (overlaps: readonly Overlap[]): number => overlaps.reduce((most, { share }) => Math.max(most, share), 0);
