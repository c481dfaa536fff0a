import { z } from "zod";
import { SampleKind } from "../sample.ts";
import { AboutRecipe } from "./about.ts";
import { share } from "./ranges.ts";

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
  kinds: z
    .array(SampleKind)
    .min(1)
    .default(["segment", "condense", "base"])
    .describe(
      "Kinds of samples: segment, condense, base; flat = whole trajectories with their context calls, nothing folded; step = one sample per model call.",
    ),
  layouts: z
    .array(z.enum(["messages", "input-output", "tokenized", "prompt-completion", "turns", "structured", "atif"]))
    .min(1)
    .default(["messages", "input-output"])
    .describe(
      "Columns on disk: messages, input-output, tokenized (and a save_to_disk folder), prompt-completion, turns, structured, atif. What each says of the loss is in its schema.json.",
    ),
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
  about: AboutRecipe.prefault({}).describe("What only people know of the dataset, for its card and metadata."),
  training: TrainingRecipe.prefault({}).describe("What the launch configs say."),
});
export type ExportRecipe = z.infer<typeof ExportRecipe>;
