import { hasSplit, type Mixture, type MixtureName, mixturesOf } from "../dataset-parts.ts";
import { type YamlValue, yamlText } from "../yaml-text.ts";
import { gatedTemplate } from "./gated-template.ts";
import { dataParallel, gradientAccumulation, type Launcher, type LaunchFile, type LaunchPlan, modelFolder } from "./launcher.ts";

const templatePath = "configs/trl/qwen2_5_train_gated.jinja";
const fileNames: { readonly [K in MixtureName]: string } = {
  cat: "sft.yaml",
  base: "sft-base.yaml",
  flat: "sft-flat.yaml",
  step: "sft-step.yaml",
};

function config(plan: LaunchPlan, { name, parts }: Mixture): Record<string, YamlValue> {
  const { training } = plan;
  const parallel = training.contextParallel > 1;
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
    eos_token: "<|im_end|>",
    max_length: plan.windowTokens,
    packing: training.packing && !parallel, // packing needs FlashAttention
    ...(parallel ? { pad_to_multiple_of: 2 * training.contextParallel } : {}),
    num_train_epochs: training.epochs,
    per_device_train_batch_size: 1,
    gradient_accumulation_steps: gradientAccumulation(training),
    optim: "adamw_torch_fused",
    learning_rate: training.learningRate,
    weight_decay: training.weightDecay,
    adam_beta1: training.adamBeta1,
    adam_beta2: training.adamBeta2,
    adam_epsilon: training.adamEpsilon,
    max_grad_norm: training.maxGradNorm,
    lr_scheduler_type: "cosine",
    warmup_steps: training.warmupRatio,
    seed: plan.seed,
    bf16: true,
    gradient_checkpointing: false, // configs/trl/accelerate.yaml does it
    logging_steps: 1,
    save_strategy: "epoch",
    output_dir: `./out/trl-${name}`,
  };
}

function fileOf(plan: LaunchPlan, mixture: Mixture): LaunchFile {
  const path = `configs/trl/${fileNames[mixture.name]}`;
  const comment = [
    `${plan.dataset}: ${mixture.parts.map((part) => part.kind).join(" and ")} samples, layout messages, for TRL 1.8 or newer with transformers 5.`,
    `From the dataset's folder, after launch/prepare-model.py: TRAINER=trl CONFIG=${path} sbatch launch/slurm.sh`,
    "The template marks what each message's `train` says, `<|im_end|>` included. TRL 1.16 warns that it does not, for it tries the template on",
    "messages that do not say `train`. The template is saved with the trained model. Afterwards put the model's own one back:",
    `  python3 launch/prepare-model.py restore-template ${modelFolder} out/trl-${mixture.name}`,
    "warmup_steps below 1 is a share of all steps; transformers 4 wants warmup_ratio in its place. TRL's own loss_type is right: by default it",
    "never holds the logits of a whole sequence.",
    ...(plan.training.packing && plan.training.contextParallel > 1
      ? ["packing is off: it needs FlashAttention, context parallelism needs SDPA."]
      : []),
    ...(hasSplit(mixture.parts, "validation") ? ["Validation samples come from repositories that training does not see."] : []),
  ];
  return { path, text: yamlText(config(plan, mixture), comment) };
}

function accelerate({ training }: LaunchPlan): Record<string, YamlValue> {
  return {
    compute_environment: "LOCAL_MACHINE",
    distributed_type: "FSDP",
    mixed_precision: "bf16",
    num_machines: training.nodes,
    num_processes: training.nodes * training.gpusPerNode,
    machine_rank: 0,
    main_training_function: "main",
    rdzv_backend: "static",
    same_network: true,
    use_cpu: false,
    debug: false,
    fsdp_config: {
      fsdp_version: 2,
      fsdp_auto_wrap_policy: "TRANSFORMER_BASED_WRAP",
      fsdp_transformer_layer_cls_to_wrap: "Qwen2DecoderLayer",
      fsdp_activation_checkpointing: true,
      fsdp_cpu_ram_efficient_loading: true,
      fsdp_offload_params: false,
      fsdp_reshard_after_forward: true,
      fsdp_state_dict_type: "FULL_STATE_DICT",
    },
    ...(training.contextParallel === 1
      ? {}
      : {
          parallelism_config: {
            parallelism_config_dp_replicate_size: 1,
            parallelism_config_dp_shard_size: dataParallel(training),
            parallelism_config_tp_size: 1,
            parallelism_config_cp_size: training.contextParallel,
            parallelism_config_cp_backend: "torch",
          },
        }),
  };
}

/** https://github.com/huggingface/trl, under accelerate. Reads the `messages` layout only; without it there is nothing to launch. */
export const trl: Launcher = {
  files(plan) {
    const mixtures = mixturesOf(plan.parts, "messages");
    if (mixtures.length === 0) return [];
    return [
      ...mixtures.map((mixture) => fileOf(plan, mixture)),
      { path: "configs/trl/accelerate.yaml", text: yamlText(accelerate(plan), ["For every host; launch/slurm.sh adds rank and address."]) },
      { path: templatePath, text: gatedTemplate(plan.template, plan.chat) },
    ];
  },
};
