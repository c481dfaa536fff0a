import type { MixtureName } from "../../../schemas/recipe/export.ts";
import { hasSplit } from "../dataset-parts.ts";
import { type YamlValue, yamlText } from "../yaml-text.ts";
import { gatedTemplate } from "./gated-template.ts";
import {
  adamKeys,
  gpusOf,
  headline,
  type Launcher,
  type LaunchFile,
  type LaunchPlan,
  modelFolder,
  type TrainerData,
  type TrainerRun,
  validationNote,
} from "./launcher.ts";

const templatePath = "configs/trl/qwen2_5_train_gated.jinja";
const fileNames: { readonly [K in MixtureName]: string } = {
  cat: "sft.yaml",
  base: "sft-base.yaml",
  flat: "sft-flat.yaml",
  step: "sft-step.yaml",
  "cat-base": "sft-cat-base.yaml",
};

const adapter = ({ training: { method, loraRank, loraAlpha, loraDropout } }: TrainerRun): Record<string, YamlValue> =>
  method === "full"
    ? {}
    : {
        use_peft: true,
        lora_r: loraRank,
        lora_alpha: loraAlpha,
        lora_dropout: loraDropout,
        lora_target_modules: ["all-linear"],
        ...(method === "qlora" ? { load_in_4bit: true, bnb_4bit_quant_type: "nf4", use_bnb_nested_quant: true } : {}),
      };

function keys(plan: LaunchPlan, run: TrainerRun, { mixture, duration }: TrainerData): Record<string, YamlValue> {
  const { training } = run;
  const { name, parts } = mixture;
  const parallel = run.contextParallel > 1;
  return {
    model_name_or_path: modelFolder,
    dtype: "bfloat16",
    attn_implementation: parallel ? "sdpa" : "flash_attention_2", // PyTorch's context parallelism knows SDPA only
    dataset_name: "./messages",
    dataset_config: name,
    dataset_train_split: "train",
    ...(hasSplit(parts, "validation") ? { dataset_test_split: "validation", eval_strategy: "epoch", per_device_eval_batch_size: 1 } : {}),
    chat_template_path: `./${templatePath}`,
    assistant_only_loss: true,
    eos_token: plan.chat?.end ?? "<|im_end|>",
    max_length: plan.windowTokens,
    packing: training.packing && !parallel, // packing needs FlashAttention
    ...(parallel ? { pad_to_multiple_of: 2 * run.contextParallel } : {}),
    ...adapter(run),
    num_train_epochs: duration.epochs,
    per_device_train_batch_size: 1,
    gradient_accumulation_steps: run.accumulation,
    optim: "adamw_torch_fused",
    ...adamKeys(training),
    lr_scheduler_type: "cosine",
    warmup_steps: training.warmupRatio,
    seed: plan.seed,
    bf16: true,
    gradient_checkpointing: run.shards === 1, // else configs/trl/accelerate.yaml does it
    logging_steps: 1,
    save_strategy: "epoch",
    output_dir: `./out/trl-${name}`,
  };
}

function config(plan: LaunchPlan, run: TrainerRun, data: TrainerData): LaunchFile {
  const path = `configs/trl/${fileNames[data.mixture.name]}`;
  const comment = [
    ...headline(plan, data, trl.title, path, "trl"),
    "The template marks what each message's `train` says, `<|im_end|>` included. TRL 1.16 warns that it does not, for it tries the template on",
    "messages that do not say `train`. The template is saved with the trained model. Afterwards put the model's own one back:",
    `  python3 launch/prepare-model.py restore-template ${modelFolder} out/trl-${data.mixture.name}`,
    "warmup_steps below 1 is a share of all steps; transformers 4 wants warmup_ratio in its place. TRL's own loss_type is right: by default it",
    "never holds the logits of a whole sequence.",
    ...(run.training.packing && run.contextParallel > 1
      ? ["packing is off: it needs FlashAttention, context parallelism needs SDPA."]
      : []),
    ...(hasSplit(data.mixture.parts, "validation") ? [validationNote] : []),
  ];
  return { path, text: yamlText(keys(plan, run, data), comment) };
}

const fsdp = (run: TrainerRun): Record<string, YamlValue> => ({
  fsdp_config: {
    fsdp_version: 2,
    fsdp_auto_wrap_policy: "TRANSFORMER_BASED_WRAP",
    fsdp_transformer_layer_cls_to_wrap: run.shape?.decoderLayer ?? "Qwen2DecoderLayer",
    fsdp_activation_checkpointing: true,
    fsdp_cpu_ram_efficient_loading: true,
    fsdp_offload_params: false,
    fsdp_reshard_after_forward: true,
    fsdp_state_dict_type: "FULL_STATE_DICT",
  },
});

const parallelism = ({ contextParallel, replicas }: TrainerRun): Record<string, YamlValue> =>
  contextParallel === 1
    ? {}
    : {
        parallelism_config: {
          parallelism_config_dp_replicate_size: 1,
          parallelism_config_dp_shard_size: replicas,
          parallelism_config_tp_size: 1,
          parallelism_config_cp_size: contextParallel,
          parallelism_config_cp_backend: "torch",
        },
      };

const accelerate = (run: TrainerRun): Record<string, YamlValue> => ({
  compute_environment: "LOCAL_MACHINE",
  distributed_type: run.shards > 1 ? "FSDP" : gpusOf(run.training) > 1 ? "MULTI_GPU" : "NO",
  mixed_precision: "bf16",
  num_machines: run.training.nodes,
  num_processes: gpusOf(run.training),
  machine_rank: 0,
  main_training_function: "main",
  rdzv_backend: "static",
  same_network: true,
  use_cpu: false,
  debug: false,
  ...(run.shards > 1 ? fsdp(run) : {}),
  ...parallelism(run),
});

/** https://github.com/huggingface/trl, under accelerate. */
export const trl: Launcher = {
  title: "TRL 1.16 with transformers 5",
  homepage: "https://github.com/huggingface/trl",
  packages: ["trl[peft]==1.16.0", "accelerate==1.15.0", "datasets==5.2.0", "transformers==5.23.0", "bitsandbytes"],
  can: { contextParallel: true, qlora: true, offload: "never", packing: "without-context-parallel" },
  layouts: { messages: "A chat template that is gated on each message's `train` marks what is trained: exact." },
  config,
  extras: (plan, run) => [
    { path: "configs/trl/accelerate.yaml", text: yamlText(accelerate(run), ["For every host; configs/trl/run.sh adds rank and address."]) },
    { path: templatePath, text: gatedTemplate(plan.template, plan.chat) },
  ],
  start: () => `exec accelerate launch --config_file configs/trl/accelerate.yaml \\
  --num_machines "$NODES" --num_processes "$((NODES * GPUS_PER_NODE))" --machine_rank "$NODE_RANK" \\
  --main_process_ip "$HEAD_HOST" --main_process_port "$HEAD_PORT" \\
  -m trl.scripts.sft --config "$CONFIG"`,
};
