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
