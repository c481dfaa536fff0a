import { z } from "zod";
import { FilterAction } from "./filter-action.ts";
import { LlmRecipe } from "./recipe-llm.ts";
import { RolloutRecipe } from "./recipe-rollout.ts";
import { SampleKind } from "./sample.ts";
import { ExitStatus } from "./trajectory.ts";

/** Every value a user may set. Each field says what it is, its unit, range, and where the default comes from; `catgen recipe` prints that. */

const limit = (schema: z.ZodNumber) => schema.nullable();
const share = () => z.number().min(0).max(1);

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

export const PersonaRecipe = z.strictObject({
  name: z
    .enum(["paper", "keep"])
    .default("paper")
    .describe(
      "Who the agent is in the samples: `paper` = CAT's tool set (execute_bash, str_replace_editor, submit, context); `keep` = prompt and tools of the source plus `context`.",
    ),
  system: z.string().min(1).nullable().default(null).describe("System prompt that replaces the persona's own. null: the persona's."),
  rename: z
    .record(z.string(), z.string())
    .default({})
    .describe("Further tool names of the source and what the persona calls them, e.g. {terminal: execute_bash}. Arguments are kept."),
  callStyle: z
    .enum(["hermes", "xml"])
    .default("hermes")
    .describe(
      "How calls are written in text: `hermes` = the Qwen2.5 chat template's <tool_call> JSON; `xml` = <function=NAME> with <parameter=KEY> as in OpenHands and SWE-smith, for backbones without tool calls.",
    ),
  controlTokens: z
    .enum(["reject", "escape"])
    .default("reject")
    .describe(
      "Text of the data that would become a control token (<|im_end|>, <tool_call>): `reject` the trajectory, or `escape` by a space after '<' (the live agent does the same).",
    ),
});
export type PersonaRecipe = z.infer<typeof PersonaRecipe>;

export const WindowRecipe = z.strictObject({
  tokens: z.int().min(1024).default(65_536).describe("Context window of the model, tokens, at least 1024. CAT section 3: 65,536."),
  replyTokens: z
    .int()
    .min(1)
    .default(4_096)
    .describe("Tokens kept free for the reply of every model call. Our choice; the paper is silent."),
  keepSteps: z
    .int()
    .min(0)
    .default(3)
    .describe("k: recent steps that stay verbatim behind a memory. Equation 1 leaves k open; 3 is our choice."),
});
export type WindowRecipe = z.infer<typeof WindowRecipe>;

/** Kinds of personal data that can be replaced; each has a rule in `stages/lib/secrets/personal`. */
export const PersonalKind = z.enum(["commit-name", "mail", "phone", "ip", "home-path"]);
export type PersonalKind = z.infer<typeof PersonalKind>;

export const ScrubRecipe = z.strictObject({
  secrets: z
    .boolean()
    .default(true)
    .describe(
      "Replace keys, tokens, passwords and private keys by placeholders such as [SECRET:github-token:1], before anything is stored. Values of your own variables (CATGEN_API_KEY, ...) always are.",
    ),
  personal: z
    .array(PersonalKind)
    .default([])
    .describe(
      "Personal data to replace, too: mail, phone, ip, home-path (account names in paths), commit-name. Repositories publish most of it themselves; off by default.",
    ),
});
export type ScrubRecipe = z.infer<typeof ScrubRecipe>;

export const GenerateRecipe = z.strictObject({
  source: z
    .string()
    .regex(/^[^/\s]+$/)
    .nullable()
    .default(null)
    .describe("First part of the ids of imported trajectories. null: the dialect's family, e.g. swe-agent."),
  licence: z
    .string()
    .min(1)
    .nullable()
    .default(null)
    .describe("SPDX id of the imported data's licence, used where a row states none. null: unknown."),
  maxRecordMegabytes: z
    .number()
    .positive()
    .max(500)
    .default(256)
    .describe("Largest input record, MB (JSON text); larger ones are quarantined. Node strings end at 512 MB."),
  scrub: ScrubRecipe.prefault({}).describe("What is taken out of every text of a trajectory when it is read or rolled out."),
  rollout: RolloutRecipe.prefault({}).describe("Live runs of an agent on tasks (--tasks)."),
});
export type GenerateRecipe = z.infer<typeof GenerateRecipe>;

export const PriceRecipe = z.strictObject({
  cachedInput: z
    .number()
    .nonnegative()
    .default(0.1)
    .describe("Prompt token that the endpoint has cached, in prices of an uncached one. 0.1 as in Anthropic's price list for cache reads."),
  output: z
    .number()
    .nonnegative()
    .default(5)
    .describe("Token of a reply, in prices of an uncached prompt token. 5 as in Anthropic's price list."),
  condenserInput: z.number().nonnegative().default(1).describe("Prompt token of the condenser. 1: the same backbone, nothing cached."),
  condenserOutput: z.number().nonnegative().default(5).describe("Token of a memory. 5: the same backbone."),
});
export type PriceRecipe = z.infer<typeof PriceRecipe>;

export const DetectRecipe = z.strictObject({
  weights: z
    .strictObject({
      "window-occupancy": share().default(0.46).describe("Growth: the steps so far pass another quarter of the window."),
      "sustained-growth": share().default(0.46).describe("Growth: every recent step brings more than Table 1's pace."),
      "falling-utilisation": share().default(0.43).describe("Growth: recent turns hardly draw on what is visible any more."),
      "subtask-completed": share()
        .default(0.76)
        .describe("Boundary: a piece of work is done: checks pass after a change, an item is ticked off, scripts are tidied away."),
      "phase-change": share()
        .default(0.9)
        .describe("Boundary: the next step begins another phase (explore, reproduce, edit, test, submit). Hindsight."),
      "working-set-change": share().default(0.6).describe("Boundary: the next steps work on other files and folders. Hindsight."),
      milestone: share().default(1).describe("Boundary: bug reproduced, first change, tests turn green, commit."),
      "plan-step": share().default(0.92).describe("Boundary: the next turn says that it begins another step of its plan. Hindsight."),
      "repeated-failures": share().default(0.6).describe("Error correction: the same failure again, or the third in a row."),
      loop: share().default(0.6).describe("Error correction: the same turns with the same answers, again and again."),
      "direction-change": share()
        .default(0.6)
        .describe("Error correction: after failures the next step takes another file, kind of command or hypothesis. Hindsight."),
    })
    .prefault({})
    .describe(
      "Weight of each signal, 0 (off) .. 1. A cut's score is the largest weighted signal. Families from CAT 2.4 (1); the weights are how often readers marked a boundary where the signal speaks (mean of the same step and one step to either side), against the best signal (data/labels). Hindsight: the signal sees the next steps.",
    ),
  callPrice: share()
    .default(0.55)
    .describe(
      "tau: what a context call costs beside tokens, in units of score, 0..1. Cuts that score less are made only for window or cost. 0.55 with lambda 1 makes 5.3 calls per 100 steps and a fold ratio of 32 % on 23 public runs of 40 steps or more; Table 1 has 4.83 and 30 % (notebooks/LOG.md).",
    ),
  costWeight: z
    .number()
    .nonnegative()
    .default(1)
    .describe(
      "lambda: weight of inference cost against scores. The objective is sum(score - tau) - lambda x cost / cost without any call.",
    ),
  prices: PriceRecipe.prefault({}).describe("Prices by which cost is reckoned; uncached prompt token = 1."),
  minGapSteps: z
    .int()
    .min(1)
    .default(8)
    .describe(
      "Steps between two context calls, at least, unless nothing else fits. Half of CAT's mean distance: Table 1 gives 87.4 steps / 5.22 segments = 16.7.",
    ),
  minFoldTokens: z
    .int()
    .min(1)
    .default(2_000)
    .describe("Tokens a fold must hold to be worth a call, unless nothing else fits. Our choice; Table 1's mean fold is 15,585."),
  maxCalls: limit(z.int().min(1)).default(26).describe("Context calls per trajectory, at most. Table 1: max 26. null: no bound."),
});
export type DetectRecipe = z.infer<typeof DetectRecipe>;

export const CondenseRecipe = z.strictObject({
  condenser: z
    .enum(["auto", "extractive", "llm"])
    .default("auto")
    .describe(
      "Who writes memories: `llm` = the endpoint, `extractive` = built in, deterministic, `auto` = llm when an endpoint is configured.",
    ),
  memoryBaseTokens: z
    .int()
    .min(64)
    .default(256)
    .describe("Memory target m(a) = base + share x tokens of all steps before keptFrom, up to cap. Tokens."),
  memoryShare: share()
    .default(0.15)
    .describe(
      "The share in m(a). 0.15 makes the mean of M_j / (M_(j-1) + fold) about 0.30 over four equal folds (Table 1: 30 %, 4.22 calls).",
    ),
  memoryCapTokens: z.int().min(64).default(8_192).describe("The cap of m(a), and the hard reply limit of the condenser. Tokens."),
  attempts: z
    .int()
    .min(1)
    .max(10)
    .default(3)
    .describe(
      "Times a memory is asked for before the trajectory is rejected: no memory, over the cap, more findings than maxFindings. Each further request says what was wrong.",
    ),
  retryTemperature: z
    .number()
    .min(0)
    .max(2)
    .default(0.7)
    .describe("Sampling temperature of every further attempt and candidate, 0..2: at 0 the model would only repeat itself. Our choice."),
  candidates: z
    .int()
    .min(1)
    .max(16)
    .default(1)
    .describe(
      "Memories written per fold to choose from: fewest findings of the checks (weighted), then nearest to the target size. Each is paid for.",
    ),
  maxFindings: limit(z.int().nonnegative())
    .default(null)
    .describe(
      "Findings of the checks grounded, state-true and failure-keeping from which on a memory is asked for again, at last rejected: more than these. null: the checks only measure.",
    ),
  transport: z
    .enum(["auto", "text", "json-schema", "tool"])
    .default("auto")
    .describe(
      "How a reply gets its form: `json-schema` = response_format, `tool` = one forced tool call, `text` = asked for in words; `auto` = the first of these that the endpoint does not refuse (HTTP 400, 404, 422), found out once per run at no cost.",
    ),
  thought: z
    .enum(["auto", "template", "llm"])
    .default("auto")
    .describe(
      "Who writes the thought before a context call: `llm` = the endpoint, from the signals' evidence and the last steps before the cut, in a small request of its own; `template` = built in; `auto` = whoever writes the memories. What a model writes badly is replaced by a template.",
    ),
  windowTokens: z
    .int()
    .min(1024)
    .nullable()
    .default(null)
    .describe(
      "Window of the condenser, tokens. Folds that do not fit are condensed in pieces, each memory folded into the next. null: window.tokens.",
    ),
  judge: z
    .boolean()
    .default(false)
    .describe(
      "A second opinion: one more call per memory, whoever wrote it, asks the endpoint which statements the task, the memory before and the steps so far do not support. It is stored and shown and decides nothing, unless filter.maxJudged is set. Left out with the reason where it does not fit the window.",
    ),
});
export type CondenseRecipe = z.infer<typeof CondenseRecipe>;

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
});
export type FilterRecipe = z.infer<typeof FilterRecipe>;

export const TrainingRecipe = z.strictObject({
  model: z
    .string()
    .default("Qwen/Qwen2.5-Coder-32B-Instruct")
    .describe("Model to fine-tune. CAT section 3: Qwen2.5-Coder-32B; base or Instruct is not said."),
  epochs: z.number().positive().default(3).describe("CAT section 3: up to three."),
  learningRate: z.number().positive().default(5e-5).describe("Peak. CAT section 3."),
  weightDecay: z.number().nonnegative().default(0.01).describe("AdamW. CAT section 3."),
  warmupRatio: share().default(0.1).describe("Of all optimizer steps. CAT section 3."),
  adamBeta1: z.number().min(0).lt(1).default(0.9).describe("AdamW. The paper is silent; PyTorch's default."),
  adamBeta2: z
    .number()
    .min(0)
    .lt(1)
    .default(0.999)
    .describe("AdamW. The paper is silent; PyTorch's default (ms-swift and OpenRLHF would take 0.95)."),
  adamEpsilon: z.number().positive().default(1e-8).describe("AdamW. The paper is silent; PyTorch's default."),
  maxGradNorm: z.number().positive().default(1).describe("Gradients are clipped to this norm. The paper is silent; the trainers' default."),
  packing: z
    .boolean()
    .default(false)
    .describe(
      "Several samples in one sequence, where the trainer can: faster, but a step then sees more than globalBatch samples. The paper is silent.",
    ),
  yarn: z
    .boolean()
    .default(true)
    .describe(
      "Stretch the positions to window.tokens by YaRN where the model ships with fewer (Qwen2.5-Coder: 32,768). Static: short prompts change, too.",
    ),
  globalBatch: z.int().positive().default(32).describe("Samples per optimizer step. The paper is silent; our choice."),
  nodes: z
    .int()
    .positive()
    .default(2)
    .describe("GPU hosts. 2 x 8 x 80 GB with context parallelism 8 is estimated at 48 GB per GPU for 32B at 65,536 tokens."),
  gpusPerNode: z.int().positive().default(8).describe("GPUs per host."),
  contextParallel: z.int().positive().default(8).describe("GPUs that share one sequence; divides 8 key/value heads of Qwen2.5-Coder-32B."),
});
export type TrainingRecipe = z.infer<typeof TrainingRecipe>;

export const ExportRecipe = z.strictObject({
  kinds: z.array(SampleKind).min(1).default(["segment", "condense", "base"]).describe("Kinds of samples: segment, condense, base."),
  layouts: z
    .array(z.enum(["messages", "input-output"]))
    .min(1)
    .default(["messages", "input-output"])
    .describe("Columns on disk: messages, input-output."),
  condenseExtractive: z
    .boolean()
    .default(false)
    .describe("Also export `condense` samples whose memory the built-in extractive condenser wrote."),
  baseTools: z
    .enum(["with-context", "without-context"])
    .default("with-context")
    .describe("Whether the `context` tool is described in `base` samples. The paper is silent; with it the schema is constant."),
  validationShare: share().default(0.02).describe("Share of repositories whose samples go to validation, 0..1. Our choice."),
  shardMegabytes: z
    .number()
    .positive()
    .max(2_000)
    .default(200)
    .describe("Uncompressed size at which a Parquet file is closed, MB. Usual on the Hub."),
  rowGroupMegabytes: z
    .number()
    .positive()
    .max(63)
    .default(48)
    .describe("Uncompressed size of a row group, MB, under 64: `datasets` reads one group per batch."),
  allowSecretTypes: z
    .array(z.string().regex(/^[a-z][a-z0-9-]*$/))
    .default([])
    .describe(
      "Types of secrets that samples may hold, e.g. [password]: for false alarms that you have looked at. All others keep a sample out (`secret:<type>`).",
    ),
  name: z.string().min(1).default("CAT-Instruct").describe("Name of the dataset in its card."),
  training: TrainingRecipe.prefault({}).describe("What the launch configs say."),
});
export type ExportRecipe = z.infer<typeof ExportRecipe>;

export const Recipe = z.strictObject({
  run: RunRecipe.prefault({}).describe("The run as a whole."),
  persona: PersonaRecipe.prefault({}).describe("System prompt, tools and call style of the agent in the samples."),
  window: WindowRecipe.prefault({}).describe("What a model call may see."),
  generate: GenerateRecipe.prefault({}).describe("Stage 1: base trajectories."),
  detect: DetectRecipe.prefault({}).describe("Stage 2: insertion points."),
  condense: CondenseRecipe.prefault({}).describe("Stage 3: memory blocks."),
  filter: FilterRecipe.prefault({}).describe("Stage 5: thresholds; null switches one off."),
  export: ExportRecipe.prefault({}).describe("Stage 6: the dataset."),
  llm: LlmRecipe.prefault({}).describe("The backbone. The key is never in a recipe: set CATGEN_API_KEY."),
});
export type Recipe = z.infer<typeof Recipe>;
