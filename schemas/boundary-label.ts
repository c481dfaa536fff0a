import { z } from "zod";
import { TrajectoryId } from "./trajectory.ts";

/** What kind of work ends at a cut, as a reader sees it. `none`: the trajectory has no natural boundary. */
export const BoundaryKind = z.enum(["explored", "reproduced", "edited", "verified", "cleaned-up", "new-direction", "other", "none"]);
export type BoundaryKind = z.infer<typeof BoundaryKind>;

/** One natural boundary that a reader saw, `cut` = number of steps before it; null exactly when the reader saw none at all. One JSON line each. */
export const BoundaryLabel = z
  .strictObject({ id: TrajectoryId, cut: z.int().positive().nullable(), kind: BoundaryKind, why: z.string() })
  .refine(({ cut, kind }) => (cut === null) === (kind === "none"), "cut is null exactly when the kind is none");
export type BoundaryLabel = z.infer<typeof BoundaryLabel>;
