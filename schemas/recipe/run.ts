import { z } from "zod";
import { share } from "./ranges.ts";

export const RunRecipe = z.strictObject({
  shards: z
    .int()
    .min(1)
    .max(4096)
    .nullable()
    .default(null)
    .describe("Shards of a new run, 1..4096; fixed when the run is created. null: one per 8 MiB of input."),
  seed: z
    .int()
    .nonnegative()
    .default(24)
    .describe("Seed of everything drawn at random, such as the train/validation split. 24 as in SWE-smith combine_trajs.py."),
  maxQuarantinedShare: share()
    .default(0.05)
    .describe(
      "Share of input records that may be unreadable before `run` ends with exit status 65, 0..1. They are kept in quarantine either way. Our choice.",
    ),
});
