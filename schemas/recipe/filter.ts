import { z } from "zod";
import { telltaleShare } from "../contamination.ts";
import { FilterAction } from "../filter-action.ts";
import { ExitStatus } from "../trajectory.ts";
import { FilterSetRecipe } from "./filter-set.ts";
import { limit, share } from "./ranges.ts";

export const FilterRecipe = z.strictObject({
  outcome: z
    .enum(["resolved", "not-failed"])
    .nullable()
    .default("resolved")
    .describe("`resolved`: evidence of success is needed (CAT 2.4 (5)); `not-failed`: unknown outcomes pass too; null: off."),
  exits: z.array(ExitStatus).min(1).nullable().default(["submitted"]).describe("Ways a run may have ended. null: off."),
  allowPreCondensed: z
    .boolean()
    .default(false)
    .describe("Keep runs whose context was already condensed. CAT phase I asks for complete base trajectories."),
  maxControlTokenTexts: limit(z.int().nonnegative())
    .default(0)
    .describe("Places where data would become a control token. Above 0 such text is left for export to refuse."),
  maxCallLessSteps: limit(z.int().nonnegative())
    .default(null)
    .describe(
      "Steps before the last without a tool call (format errors, nudged turns), at most; 0 keeps the protocol of other scaffolds out of the data, at the price of the runs that have any. null: off.",
    ),
  allowEvaluationInstances: z
    .boolean()
    .default(false)
    .describe("Keep runs on instances of evaluation sets (SWE-bench Verified, Lite, Pro and those of `evaluation`), found by id."),
  allowEvaluationRepositories: z
    .boolean()
    .default(true)
    .describe(
      "Keep runs in repositories of evaluation sets, on instances that are in none. false: no such repository is trained on at all.",
    ),
  maxEvaluationTextShare: limit(share())
    .default(telltaleShare)
    .describe(
      "Share of an evaluation task's 13-word fingerprints that the run's task text has, at most, 0..1. Runs on such tasks have 1, others at most 0.023 (data/decontamination/README.md). null: off.",
    ),
  maxEvaluationPatchShare: limit(share())
    .default(telltaleShare)
    .describe(
      "The same of the reference patch and the run's own patch, where an index has patches (`evaluation.indexes`; the shipped one has none). null: off.",
    ),
  minSteps: limit(z.int().positive()).default(null).describe("Steps of the base trajectory, at least. null: off."),
  maxSteps: limit(z.int().positive()).default(500).describe("Steps of the base trajectory, at most. Table 1: max 500. null: off."),
  minContextCalls: limit(z.int().nonnegative())
    .default(1)
    .describe("Context calls per trajectory, at least; `base` samples do not ask. null: off."),
  maxContextCalls: limit(z.int().nonnegative()).default(26).describe("Context calls per trajectory, at most. Table 1: max 26. null: off."),
  minFoldTokens: limit(z.int().nonnegative()).default(1_000).describe("Tokens of the smallest fold. null: off. Our choice."),
  minFoldRatio: limit(z.number().nonnegative())
    .default(0.02)
    .describe("Smallest M_j / (M_(j-1) + fold): below it hardly anything is remembered. null: off. Our choice."),
  maxFoldRatio: limit(z.number().nonnegative())
    .default(0.7)
    .describe("Largest M_j / (M_(j-1) + fold): above it the call gains too little. null: off. Our choice; Table 1's mean is 0.30."),
  maxUngroundedShare: limit(share())
    .default(0.1)
    .describe(
      "Share of the paths, names, commands and numbers of the worst memory that nothing before its cut shows, at most, 0..1. No good memory of the proof has more than 0.05 (notebooks/LOG.md); one swapped name is about 0.02. null: off.",
    ),
  maxMissingShare: limit(share())
    .default(null)
    .describe(
      "Share of the names that later steps use, and only folded steps had shown, that no memory or recent step still tells, at most, 0..1. null: off.",
    ),
  maxLeaks: limit(z.int().nonnegative())
    .default(null)
    .describe("Names in the worst memory that are first seen after its cut, at most. null: off."),
  maxUntrueStates: limit(z.int().nonnegative())
    .default(null)
    .describe(
      "Claims about tests, files and edits in the worst memory that what was seen contradicts, at most. Off, since 3 of 24 good memories written after the check was done had a false one (notebooks/LOG.md). null: off.",
    ),
  maxLostFailures: limit(z.int().nonnegative())
    .default(0)
    .describe(
      "Failing states at the end of a fold that its memory is silent about, at most, per memory. False on 1 of 24 good memories written after the check was done (notebooks/LOG.md). null: off.",
    ),
  maxDrifts: limit(z.int().nonnegative())
    .default(null)
    .describe("Rules of the task that the worst memory contradicts, alters or loses, at most. null: off."),
  maxJudged: limit(z.int().nonnegative())
    .default(null)
    .describe(
      "Statements of the worst memory that the second opinion calls unsupported, at most; memories without one pass. Needs condense.judge. null: off.",
    ),
  actions: z
    .record(z.string(), FilterAction)
    .default({})
    .describe(
      "What a failing filter does, by its name, e.g. {fold-ratio-too-high: drop-last}; `others` speaks for those not named that may. `reject-trajectory`: nothing is kept; `reject-context`: no segments and condensations, `base` may stay; `reject-sample`: that sample alone; `drop-last`: the last context call is left out where the filter then passes and the merged last segment fits, else reject-context; `flag`: nothing, the row says it. Filters over trajectories reject them or flag; over the context management all but reject-sample; over single calls all; over samples no drop-last. Unrenderable, rejected upstream and over the window cannot be flagged. Unnamed: what the filter looks at is rejected.",
    ),
  set: FilterSetRecipe.prefault({}).describe("What is selected of all that the thresholds keep."),
});
export type FilterRecipe = z.infer<typeof FilterRecipe>;

/** What a single trajectory is judged by. */
export const ThresholdRecipe = FilterRecipe.omit({ set: true });
export type ThresholdRecipe = z.infer<typeof ThresholdRecipe>;
