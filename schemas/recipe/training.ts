import { z } from "zod";
import { limit, share } from "./ranges.ts";

/** Numbers of a model's config.json, for models that catgen does not know by name. */
export const ModelShape = z.strictObject({
  layers: z.int().positive().describe("num_hidden_layers"),
  hidden: z.int().positive().describe("hidden_size"),
  intermediate: z.int().positive().describe("intermediate_size"),
  heads: z.int().positive().describe("num_attention_heads"),
  keyValueHeads: z.int().positive().describe("num_key_value_heads"),
  headSize: z.int().positive().describe("head_dim; where config.json has none: hidden_size / num_attention_heads"),
  vocabulary: z.int().positive().describe("vocab_size"),
  tiedEmbeddings: z.boolean().describe("tie_word_embeddings"),
  nativeWindow: z.int().positive().describe("max_position_embeddings"),
  decoderLayer: z.string().min(1).default("Qwen2DecoderLayer").describe("Class of one layer in transformers, for FSDP's wrapping."),
});
export type ModelShape = z.infer<typeof ModelShape>;

export const trainerNames = ["axolotl", "trl", "ms-swift", "llamafactory", "automodel"] as const;
export const engineNames = ["torchrun", "slurm", "skypilot", "kubernetes"] as const;

/** What the launch configs say. Every combination is checked when the recipe is read: what cannot work is refused with what to change. */
export const TrainingRecipe = z.strictObject({
  model: z
    .string()
    .default("Qwen/Qwen2.5-Coder-32B-Instruct")
    .describe("Model to fine-tune. CAT section 3: Qwen2.5-Coder-32B; base or Instruct is not said."),
  shape: ModelShape.nullable()
    .default(null)
    .describe(
      "Numbers of the model's config.json, for the checks. null: known by name (Qwen2.5 and Qwen2.5-Coder, 0.5B to 32B); of other models memory and time are then not estimated.",
    ),
  method: z
    .enum(["full", "lora", "qlora"])
    .default("full")
    .describe("full = all weights (CAT section 3); lora = adapters on all linear layers; qlora = the same over 4-bit weights."),
  loraRank: z.int().positive().default(32).describe("lora, qlora: rank of the adapters. Our choice."),
  loraAlpha: z.number().positive().default(64).describe("lora, qlora: scale; 2 x rank, as LLaMA-Factory sets it. Our choice."),
  loraDropout: z.number().min(0).lt(1).default(0).describe("lora, qlora: dropout on the adapters. Our choice."),
  epochs: z.number().positive().default(3).describe("CAT section 3: up to three."),
  learningRate: z.number().positive().default(5e-5).describe("Peak. CAT section 3. Adapters want about ten times that."),
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
  gpu: z
    .string()
    .min(1)
    .default("H100")
    .describe("Kind of GPU by SkyPilot's name. Known: H100, H200, B200, A100-80GB, A100, L40S, L4, RTX4090."),
  gpuMemoryGigabytes: limit(z.number().positive()).default(null).describe("Memory of one GPU, GB. null: that of the kind."),
  gpuTeraflops: limit(z.number().positive())
    .default(null)
    .describe("Dense bf16 peak of one GPU, TFLOP/s, for the hours. null: that of the kind."),
  utilisation: share()
    .default(0.35)
    .describe(
      "Share of that peak that training reaches (MFU), for the hours. Llama 3 (arXiv 2407.21783, Table 4) had 0.38 at 131,072 tokens with context parallelism on H100; less is usual on few hosts.",
    ),
  maxGpuHours: limit(z.number().positive())
    .default(null)
    .describe("Budget in GPU hours: as many whole epochs as fit its estimate are trained, at most `epochs`. null: off."),
  contextParallel: z
    .int()
    .positive()
    .default(8)
    .describe("GPUs that share one sequence; divides the heads, the key/value heads (8 in Qwen2.5-Coder-32B) and the GPUs."),
  offloadCheckpoints: z
    .boolean()
    .default(false)
    .describe("Keep the layers' saved inputs in the host's memory, where the trainer can (axolotl; LLaMA-Factory always does). Slower."),
  trainers: z
    .array(z.enum(trainerNames))
    .nullable()
    .default(null)
    .describe("Trainers to write configs for. null: all that can do this run, the README says why others cannot; []: none."),
  engines: z
    .array(z.enum(engineNames))
    .default([...engineNames])
    .describe("What starts the trainers: torchrun (by hand on each host), slurm, skypilot, kubernetes (Kubeflow Trainer v2)."),
  image: z
    .string()
    .min(1)
    .default("pytorch/pytorch:2.11.0-cuda12.8-cudnn9-devel")
    .describe("kubernetes: container image with CUDA's compiler; the trainer is installed into it. Our choice."),
});
export type TrainingRecipe = z.infer<typeof TrainingRecipe>;
