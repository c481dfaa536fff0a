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

  // How the run was conducted, and what a context call gains: measures of `schemas/metrics.ts`.

  maxStuckSteps: limit(z.int().nonnegative())
    .default(null)
    .describe(
      "Steps at the end of a run in which every call fails, or does the same again with the same answer, at most. CAT 2.4 (5): unrecoverable error states; it gives no number. null: off.",
    ),
  maxLoopSteps: limit(z.int().nonnegative())
    .default(null)
    .describe("Steps in a row that are one round of one to six steps again and again, with the same answers, at most. null: off."),
  maxRepeatedCallShare: limit(share())
    .default(null)
    .describe("Share of calls that equal an earlier one and its answer, at most, 0..1. null: off."),
  maxFailedCallShare: limit(share())
    .default(null)
    .describe("Share of calls that fail, at most, 0..1; a failing test run is one of them. null: off."),
  maxMalformedCalls: limit(z.int().nonnegative())
    .default(null)
    .describe("Calls that no tool could take, and turns answered by a format error, at most. null: off."),
  maxNoOpEditShare: limit(share()).default(null).describe("Share of edits that fail or change nothing, at most, 0..1. null: off."),
  minTestRunsAfterEdit: limit(z.int().nonnegative())
    .default(null)
    .describe(
      "Test runs after the last change of the sources, at least. Off: of 89 public runs that hand in a change 54 have none, solved ones among them (`catgen analyze`). null: off.",
    ),
  allowEmptyPatch: z.boolean().default(true).describe("Keep runs whose patch is empty; those without any word on it are kept in any case."),
  allowUnappliedPatch: z.boolean().default(true).describe("Keep runs whose patch could not be applied where it was tested."),
  maxPatchFilesUnseen: limit(z.int().nonnegative())
    .default(null)
    .describe("Files of the patch that no call changes or names, at most. null: off."),
  maxEditedFilesUnpatched: limit(z.int().nonnegative())
    .default(null)
    .describe("Files of the sources that the run edits, leaves so and does not hand in, at most. null: off."),
  maxTestFilesChanged: limit(z.int().nonnegative())
    .default(null)
    .describe("Test files of the repository that are changed or deleted, at most. Off: adding a test to one is good work. null: off."),
  maxTestFilesWeakened: limit(z.int().nonnegative())
    .default(null)
    .describe(
      "Test files of the repository that are deleted, or left with fewer tests or assertions, or with more of them skipped, at most. null: off.",
    ),
  maxHistoryReads: limit(z.int().nonnegative())
    .default(null)
    .describe("Calls that read commits which HEAD does not stand on, at most; what they show may be the solution. null: off."),
  maxWebReads: limit(z.int().nonnegative())
    .default(null)
    .describe("Calls that fetch the project's own sources, issues or releases, at most; what they show may be the solution. null: off."),
  maxEnvironmentFailures: limit(z.int().nonnegative())
    .default(null)
    .describe("Calls whose answer says that disk, memory, network, basic tools or the container failed, at most. null: off."),
  maxTimeouts: limit(z.int().nonnegative())
    .default(null)
    .describe("Calls that were stopped, or left running, because they took too long, at most. null: off."),
  maxForeignScriptShare: limit(share())
    .default(null)
    .describe(
      "Share of the letters in the agent's turns in a script that the task is not written in, at most, 0..1; Latin is always allowed. null: off.",
    ),
  maxBrokenCharacters: limit(z.int().nonnegative())
    .default(null)
    .describe("U+FFFD, lone surrogates and misread UTF-8 in all texts of the run, at most. null: off."),
  maxControlCharacters: limit(z.int().nonnegative())
    .default(null)
    .describe("Control characters other than tab and line ends in all texts of the run, at most; a colour counts once. null: off."),
  maxScrubbedSecrets: limit(z.int().nonnegative())
    .default(null)
    .describe("Distinct secrets that placeholders stand for, at most. null: off."),
  maxScrubbedPersonalValues: limit(z.int().nonnegative())
    .default(null)
    .describe(
      "Distinct personal values (mail, phone, IP, account and people's names) that placeholders stand for, at most; of the kinds that generate.scrub.personal has looked for. null: off.",
    ),
  allowFabricatedTurns: z
    .boolean()
    .default(true)
    .describe("Keep runs of sources that are known to invent turns (mark `fabricated-turns`)."),
  minInformationGain: limit(z.number().nonnegative())
    .default(null)
    .describe(
      "Share of what later steps need and only the fold had shown, told per 1,000 tokens of the worst memory, at least. null: off.",
    ),
  maxRepeatedMemoryShare: limit(share())
    .default(null)
    .describe("Share of a memory that stands in the previous one word for word, at most, 0..1. null: off."),

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
