import { hasSplit, type Mixture, mixturesOf } from "../dataset-parts.ts";
import type { SplitName } from "../split.ts";
import { type YamlValue, yamlText } from "../yaml-text.ts";
import { gradientAccumulation, type Launcher, type LaunchFile, type LaunchPlan, modelFolder } from "./launcher.ts";

/** Layouts that axolotl is given. */
type LayoutName = "input-output" | "messages";

/** How axolotl is to read a layout. Without `message_field_training` it would ignore the flags and train every agent turn. */
const readers: { readonly [K in LayoutName]: { readonly [key: string]: YamlValue } } = {
  "input-output": { type: "input_output" },
  messages: {
    type: "chat_template",
    field_messages: "messages",
    message_property_mappings: { role: "role", content: "content" },
    roles_to_train: ["assistant"],
    train_on_eos: "turn",
    message_field_training: "train",
  },
};

const notes: { readonly [K in LayoutName]: readonly string[] } = {
  "input-output": ["Trained text is written down in the rows: exact, fast, no chat template involved. Prefer this one."],
  messages: [
    "The same samples through the chat template, masked by each message's `train`. Slower (quadratic in the turns), and axolotl takes a",
    "leading [[ or trailing ]] of a trained turn out of the loss.",
  ],
};

const datasets = ({ parts }: Mixture, layout: LayoutName, split: SplitName): YamlValue[] =>
  parts.filter((part) => part.splits.includes(split)).map((part) => ({ path: `./${layout}/${part.kind}`, split, ...readers[layout] }));

function data(mixture: Mixture, layout: LayoutName): Record<string, YamlValue> {
  const validation = datasets(mixture, layout, "validation");
  return {
    datasets: datasets(mixture, layout, "train"),
    ...(validation.length === 0 ? {} : { test_datasets: validation }),
    dataset_prepared_path: `./prepared/axolotl-${mixture.name}-${layout}`,
    val_set_size: 0, // the split is by repository and made; axolotl must not draw its own
    ...(validation.length === 0 ? {} : { eval_strategy: "epoch", eval_batch_size: 1, eval_sample_packing: false }),
  };
}

const parallelism = (plan: LaunchPlan): Record<string, YamlValue> => {
  const { contextParallel, packing } = plan.training;
  if (contextParallel === 1) return {};
  // batch_ring mixes up packed documents, varlen_llama3 is for them
  return { context_parallel_size: contextParallel, heads_k_stride: 1, ring_attn_func: packing ? "varlen_llama3" : "batch_ring" };
};

function config(plan: LaunchPlan, mixture: Mixture, layout: LayoutName): Record<string, YamlValue> {
  const { training } = plan;
  return {
    base_model: modelFolder,
    chat_template: "tokenizer_default",
    special_tokens: { eos_token: "<|im_end|>", pad_token: "<|endoftext|>" },
    eot_tokens: ["<|im_end|>"],
    train_on_inputs: false,
    ...data(mixture, layout),
    sequence_len: plan.windowTokens,
    excess_length_strategy: "raise",
    sample_packing: training.packing,
    pad_to_sequence_len: training.packing,
    ...parallelism(plan),
    attn_implementation: "flash_attention_2",
    plugins: ["axolotl.integrations.liger.LigerPlugin"],
    liger_rope: true,
    liger_rms_norm: true,
    liger_glu_activation: true,
    liger_fused_linear_cross_entropy: true,
    num_epochs: training.epochs,
    micro_batch_size: 1,
    gradient_accumulation_steps: gradientAccumulation(training),
    optimizer: "adamw_torch_fused",
    learning_rate: training.learningRate,
    weight_decay: training.weightDecay,
    adam_beta1: training.adamBeta1,
    adam_beta2: training.adamBeta2,
    adam_epsilon: training.adamEpsilon,
    max_grad_norm: training.maxGradNorm,
    lr_scheduler: "cosine",
    warmup_ratio: training.warmupRatio,
    seed: plan.seed,
    bf16: true,
    tf32: true,
    gradient_checkpointing: true,
    fsdp_version: 2,
    fsdp_config: {
      offload_params: false,
      cpu_ram_efficient_loading: true,
      auto_wrap_policy: "TRANSFORMER_BASED_WRAP",
      transformer_layer_cls_to_wrap: "Qwen2DecoderLayer",
      state_dict_type: "FULL_STATE_DICT",
      reshard_after_forward: true,
    },
    logging_steps: 1,
    save_strategy: "epoch",
    output_dir: `./out/axolotl-${mixture.name}-${layout}`,
  };
}

function fileOf(plan: LaunchPlan, mixture: Mixture, layout: LayoutName): LaunchFile {
  const path = `configs/axolotl/${mixture.name}-${layout}.yaml`;
  const comment = [
    `${plan.dataset}: ${mixture.parts.map((part) => part.kind).join(" and ")} samples, layout ${layout}, for axolotl 0.18.`,
    `From the dataset's folder, after launch/prepare-model.py: TRAINER=axolotl CONFIG=${path} sbatch launch/slurm.sh`,
    ...notes[layout],
    ...(plan.training.contextParallel > 1 ? ["Context parallelism needs ring-flash-attn 0.1.4 or newer."] : []),
    ...(hasSplit(mixture.parts, "validation") ? ["Validation samples come from repositories that training does not see."] : []),
  ];
  return { path, text: yamlText(config(plan, mixture, layout), comment) };
}

/** https://github.com/axolotl-ai-cloud/axolotl. One file per mixture and layout. */
export const axolotl: Launcher = {
  files: (plan) =>
    (["input-output", "messages"] as const).flatMap((layout) =>
      mixturesOf(plan.parts, layout).map((mixture) => fileOf(plan, mixture, layout)),
    ),
};
