import { z } from "zod";
import { limit, share } from "./ranges.ts";

/** Below 0.3 unrelated runs of one repository meet, and comparing costs more than it tells. */
const similarity = () => z.number().min(0.3).max(1);

/** What is decided over all trajectories that the thresholds keep, once every one of them is judged. */
export const FilterSetRecipe = z.strictObject({
  nearDuplicateSteps: limit(similarity())
    .default(0.75)
    .describe(
      "Of two trajectories whose steps (tool names and arguments, normalised) are at least this similar only the better is kept, 0.3..1: MinHash estimate of the Jaccard similarity of their runs of 5 words. 0.75 as in FineWeb; in public data the same run in another format has 0.79 and more, other runs of the same task 0.68 and less (notebooks/LOG.md). null: off.",
    ),
  nearDuplicateTasks: limit(similarity())
    .default(0.75)
    .describe(
      "Tasks whose problem statements are at least this similar count as one instance for maxPerInstance, 0.3..1; tasks whose prompt does not mark off the statement are told apart by their ids alone. null: off.",
    ),
  maxPerInstance: limit(z.int().positive())
    .default(3)
    .describe("Trajectories per instance, at most, the best first. 3 as in SWE-smith combine_trajs.py. null: off."),
  maxPerRepository: limit(z.int().positive())
    .default(null)
    .describe("Trajectories per repository (forks and mirrors under their own name), at most, the best first. null: off."),
  maxShareWithoutCalls: limit(share())
    .default(null)
    .describe(
      "Share of the selected trajectories whose samples show no context call, at most, 0..1. They teach when not to call; the paper does not say how many CAT-Instruct has. null: off.",
    ),
  mix: z
    .record(z.string().min(1), share())
    .default({})
    .refine((mix) => Object.values(mix).reduce((sum, part) => sum + part, 0) <= 1 + 1e-9, "the shares must not add up to more than 1")
    .describe(
      "Share of each source (first part of the id) in the selected trajectories, e.g. {swe-smith: 0.7, swe-rebench: 0.3}; sources that are not named share the rest. The scarcest decides how many are selected. {}: as they come.",
    ),
  targetTrajectories: limit(z.int().positive()).default(null).describe("Trajectories to select, at most, the best first. null: all."),
  targetSamples: limit(z.int().positive())
    .default(null)
    .describe(
      "Samples (of all exported kinds that the verdicts keep) to select, at most, by whole trajectories, the best first that still fit. CAT section 3: 20k instances. null: all.",
    ),
});
export type FilterSetRecipe = z.infer<typeof FilterSetRecipe>;
