import { z } from "zod";
import { Contamination } from "./contamination.ts";
import { Finding } from "./finding.ts";
import { ExitStatus } from "./trajectory.ts";

const Count = z.int().nonnegative();
const Ratio = z.number().nonnegative();

/** Prompt tokens of model calls, each after replacement: what the model would see at that call. */
const Distribution = z.strictObject({ calls: Count, sum: Count, max: Count });

/** One number per trajectory. null = cannot be known (no evidence, or the trajectory cannot be rendered under the persona). */
export const TrajectoryMetrics = z.strictObject({
  /** Evidence says the task was solved. */
  resolved: z.boolean().nullable(),
  exit: ExitStatus,
  /** Steps of the base trajectory. */
  steps: Count,
  /** Steps before the last that call no tool: format errors and nudged turns, which nobody should learn. */
  callLessSteps: Count,
  /** Why the persona cannot render it, sorted; empty: it can. */
  unrenderable: z.array(z.string()),
  /** Already condensed before we saw it (CAT needs complete base trajectories, paper 2.4 phase I). */
  preCondensed: z.boolean(),
  /** Places where text of the data would become a control token of the model. */
  controlTokenTexts: Count.nullable(),
  /** Chat tokens of the whole base trajectory. */
  baseTokens: Count.nullable(),
  /** Why an earlier stage rejected it, e.g. `condense: window-exceeded`; null: none did. */
  rejectedBy: z.string().nullable(),
  /** Prompt tokens of each model call under the context policy; null without a workspace. */
  promptTokens: Distribution.nullable(),
  /** All prompt sizes in call order, tokens: the saw-tooth. Steps and context calls alike. */
  promptTokensPerCall: z.array(Count).nullable(),

  // How the run was conducted (`stages/filter/conduct` defines each).

  /** Steps at the end of the run after the last one that gets anywhere: where every call fails or does the same again. CAT 2.4 (5). */
  stuckSteps: Count,
  /** Most steps in a row that are one round of one to six steps, again and again with the same answers; 0: none. */
  longestLoopSteps: Count,
  /** Share of calls, 0..1, that equal an earlier one in name, arguments and answer, durations apart. */
  repeatedCallShare: Ratio.nullable(),
  /** Share of calls, 0..1, that fail; thinking and handing in apart. */
  failedCallShare: Ratio.nullable(),
  /** Calls that no tool could take, and turns answered by a format error. */
  malformedCalls: Count,
  /** Share of edits, 0..1, that fail or change nothing; null without edits. */
  noOpEditShare: Ratio.nullable(),
  /** Test runs after the last change of the sources that ran a test; null: nothing was changed, or nothing handed in. */
  testRunsAfterEdit: Count.nullable(),
  /** Does the run hand in a patch that changes anything? null: the source holds none, be it empty or not. */
  hasPatch: z.boolean().nullable(),
  /** Could the patch be applied where it was tested? null: nobody says. */
  patchApplies: z.boolean().nullable(),
  /** Files of the patch that no call changes or names; null without a patch. */
  patchFilesUnseen: Count.nullable(),
  /** Files of the sources that the run edits, leaves so, and does not hand in; null without a patch. */
  editedFilesUnpatched: Count.nullable(),
  /** Test files of the repository that the patch (without one: the run) changes or deletes. */
  testFilesChanged: Count,
  /** Those of them that are deleted, have fewer tests or assertions than before, or skip more. */
  testFilesWeakened: Count,
  /** Calls that read commits which HEAD does not stand on: `--all`, `origin/...`, the reflog, what was fetched. */
  historyReads: Count,
  /** Calls that fetch the project's own sources, issues or releases; null: some call reaches out, and nothing says what the project is. */
  webReads: Count.nullable(),
  /** Calls whose answer says that disk, memory, network, basic tools or the container failed. */
  environmentFailures: Count,
  /** Calls that were stopped, or left running, because they took too long. */
  timeouts: Count,
  /** Share of the letters in the agent's turns, 0..1, in a script that the task is not written in; Latin is always allowed. */
  foreignScriptShare: Ratio.nullable(),
  /** U+FFFD, lone surrogates and misread UTF-8, in all texts of the run. */
  brokenCharacters: Count,
  /** Control characters other than tab and line ends, in all texts of the run; a terminal's escape sequence counts once. */
  controlCharacters: Count,
  /** Distinct secrets that placeholders stand for. */
  scrubbedSecrets: Count,
  /** Distinct mail addresses, phone numbers, IP addresses, account and people's names that placeholders stand for; 0 where the recipe had none looked for. */
  scrubbedPersonalValues: Count,
  /** The source is known to invent turns (mark `fabricated-turns`). */
  fabricatedTurns: z.boolean(),
  /** What of it belongs to sets that models are evaluated on. */
  contamination: Contamination,
});
export type TrajectoryMetrics = z.infer<typeof TrajectoryMetrics>;

/**
 * What one check of `stages/lib/checks` has counted in a memory: [claims, entities or rules looked at, how many of them are wrong]. A pair
 * without names, since a dataset has millions and every threshold that moves reads them all.
 */
export const CheckCounts = z.tuple([Count, Count]);
export type CheckCounts = z.infer<typeof CheckCounts>;

/** One row per context call. */
export const BlockMetrics = z.strictObject({
  cut: Count,
  /** Steps since the previous context call, or since the start. */
  gapSteps: Count,
  /** Chat tokens of the folded steps. */
  foldTokens: Count,
  /** Chat tokens of the previous call and memory that the new memory replaces; 0 for the first. */
  previousMemoryTokens: Count,
  /** Tokens of the memory text. */
  memoryTokens: Count,
  /** memoryTokens / (previousMemoryTokens + foldTokens). */
  foldRatio: Ratio,
  /** Whole window before the call, tokens; and after. */
  windowTokensBefore: Count,
  windowTokensAfter: Count,
  windowRatio: Ratio,
  /** By the check's name, in the order of the registry. */
  checks: z.record(z.string(), CheckCounts),
  /** The first that each check has found; mostly none. */
  findings: z.array(Finding.extend({ check: z.string() })),
  /** Distinct paths, names, commands and numbers of the previous memory, and how many of them this one still tells; 0 for the first. */
  previousFacts: Count,
  keptFacts: Count,
  /** Share of the names that later steps use, and only the fold had shown, which the memory tells, per 1,000 tokens of memory; null: there are none. */
  informationGain: Ratio.nullable(),
  /** Share of the memory, 0..1 by characters, whose sentences stand in the previous memory word for word; null for the first. */
  repeatedMemoryShare: Ratio.nullable(),
  /** Statements that a second opinion calls unsupported; null: none was asked for, or none came. */
  judgedFindings: Count.nullable(),
});
export type BlockMetrics = z.infer<typeof BlockMetrics>;

/** One row per sample (segment, condensation, base). */
export const SampleMetrics = z.strictObject({
  /** Chat tokens of the rendered sample. */
  tokens: Count,
  /** Tokens that carry loss. */
  trainedTokens: Count,
  /** Largest prompt + reply reserve over the model calls the sample stands for. */
  neededTokens: Count,
});
export type SampleMetrics = z.infer<typeof SampleMetrics>;

/** What trajectories are compared by once all of them are judged. Sketches: base64 of `stages/filter/selection/min-hash.ts`; null: nothing to compare. */
export const SetMetrics = z.strictObject({
  /** Of the normalised steps: 128 x 16 bits. */
  stepsSketch: z.string().nullable(),
  /** Of the problem statement: 64 x 16 bits; null too where the prompt does not mark it off. */
  taskSketch: z.string().nullable(),
  /** One spelling for all names of an instance. */
  instance: z.string(),
  /** `owner/name` in small letters, un-mangled. */
  repository: z.string().nullable(),
});
export type SetMetrics = z.infer<typeof SetMetrics>;

/** Stage 5a: what costs, measured once and stored without an opinion. Lists run parallel to `Workspace`. */
export const Metrics = z.strictObject({
  trajectory: TrajectoryMetrics,
  blocks: z.array(BlockMetrics),
  segments: z.array(SampleMetrics),
  condensations: z.array(SampleMetrics),
  /** The whole trajectory without context calls; null when it cannot be rendered. */
  base: SampleMetrics.nullable(),
  /** The last two segments as one: the last segment, were the last context call not there. null without a context call. */
  dropLast: SampleMetrics.nullable(),
  set: SetMetrics,
});
export type Metrics = z.infer<typeof Metrics>;
