import { hasSplit } from "../dataset-parts.ts";
import type { SplitName } from "../split.ts";
import { type YamlValue, yamlText } from "../yaml-text.ts";
import { gatedTemplate } from "./gated-template.ts";
import {
  headline,
  type Launcher,
  type LaunchFile,
  type LaunchPlan,
  modelFolder,
  type TrainerData,
  type TrainerRun,
  validationNote,
} from "./launcher.ts";
import { linkedRows } from "./linked-rows.ts";

const folder = "configs/automodel";
const templatePath = `${folder}/qwen2_5_train_gated.jinja`;

const dataset = (data: TrainerData, window: number, split: SplitName): YamlValue => ({
  _target_: "nemo_automodel.components.datasets.llm.chat_dataset.ChatDataset",
  path_or_dataset_id: `./${linkedRows(data, "automodel", split)}`,
  split,
  seq_length: window,
  padding: "do_not_pad",
  truncation: "do_not_truncate", // longer samples are not in the dataset
  chat_template: `./${templatePath}`,
});

/** Context parallelism cuts a sequence into 2 x degree pieces (a ring, balanced); the collater pads to a multiple of it. */
const loader = ({ contextParallel }: TrainerRun, shuffle: boolean): YamlValue => ({
  _target_: "torchdata.stateful_dataloader.StatefulDataLoader",
  collate_fn: { _target_: "nemo_automodel.components.datasets.utils.default_collater", pad_seq_len_divisible: 2 * contextParallel },
  shuffle,
});

const adapter = ({ training: { method, loraRank, loraAlpha, loraDropout } }: TrainerRun): Record<string, YamlValue> =>
  method === "full"
    ? {}
    : {
        peft: {
          _target_: "nemo_automodel.components._peft.lora.PeftConfig",
          target_modules: "*_proj", // all linear layers but the output
          dim: loraRank,
          alpha: Math.round(loraAlpha), // a whole number there
          dropout: loraDropout,
        },
      };

function keys(plan: LaunchPlan, run: TrainerRun, data: TrainerData): Record<string, YamlValue> {
  const { training } = run;
  const validation = hasSplit(data.mixture.parts, "validation");
  return {
    recipe: "TrainFinetuneRecipeForNextTokenPrediction",
    seed: plan.seed,
    step_scheduler: {
      global_batch_size: training.globalBatch,
      local_batch_size: 1,
      num_epochs: Math.ceil(data.duration.epochs),
      max_steps: data.duration.steps,
      save_checkpoint_every_epoch: true,
    },
    dist_env: { backend: "nccl", timeout_minutes: 60 },
    model: {
      _target_: "nemo_automodel.NeMoAutoModelForCausalLM.from_pretrained",
      pretrained_model_name_or_path: modelFolder,
      torch_dtype: training.method === "full" ? "float32" : "bfloat16", // the optimizer's weights; FSDP2 computes in bfloat16
      attn_implementation: run.contextParallel > 1 ? "sdpa" : "flash_attention_2", // its context parallelism knows SDPA only
      output_hidden_states: true, // the fused loss wants them in place of logits
    },
    loss_fn: { _target_: "nemo_automodel.components.loss.linear_ce.FusedLinearCrossEntropy" },
    ...adapter(run),
    distributed: {
      strategy: "fsdp2",
      dp_size: "none",
      tp_size: 1,
      cp_size: run.contextParallel,
      pp_size: 1,
      activation_checkpointing: true,
      defer_fsdp_grad_sync: false, // else each GPU gathers a whole gradient
    },
    dataset: dataset(data, plan.windowTokens, "train"),
    dataloader: loader(run, true),
    ...(validation
      ? { validation_dataset: dataset(data, plan.windowTokens, "validation"), validation_dataloader: loader(run, false) }
      : {}),
    packed_sequence: { packed_sequence_size: 0 },
    optimizer: {
      _target_: "torch.optim.AdamW",
      lr: training.learningRate,
      weight_decay: training.weightDecay,
      betas: [training.adamBeta1, training.adamBeta2],
      eps: training.adamEpsilon,
      fused: true,
    },
    lr_scheduler: {
      lr_decay_style: "cosine",
      lr_warmup_steps: Math.min(data.duration.warmupSteps, data.duration.steps - 1),
      init_lr: 0,
      min_lr: 0,
    },
    clip_grad_norm: { max_norm: training.maxGradNorm },
    checkpoint: {
      enabled: true,
      checkpoint_dir: `./out/automodel-${data.mixture.name}`,
      model_save_format: "safetensors",
      save_consolidated: training.method === "full",
    },
  };
}

/** https://github.com/NVIDIA-NeMo/Automodel, FSDP2. Steps are said as numbers, so the configs count on this dataset's size. */
export const automodel: Launcher = {
  title: "NeMo Automodel 0.7",
  homepage: "https://github.com/NVIDIA-NeMo/Automodel",
  packages: ["nemo-automodel==0.7.0"],
  can: { contextParallel: true, qlora: false, offload: "never", packing: "without-context-parallel" },
  layouts: { messages: "A chat template that is gated on each message's `train` marks what is trained: exact." },
  config(plan, run, data): LaunchFile {
    const path = `${folder}/${data.mixture.name}.yaml`;
    const comment = [
      ...headline(plan, data, automodel.title, path, "automodel"),
      `lr_warmup_steps and max_steps are for the ${data.duration.steps} steps of this very dataset: it takes no share. Packing is off.`,
      "It loads one folder of Parquet files, so configs/automodel/run.sh links those of the kinds into one.",
      ...(hasSplit(data.mixture.parts, "validation") ? [validationNote] : []),
    ];
    return { path, text: yamlText(keys(plan, run, data), comment) };
  },
  extras: (plan) => [{ path: templatePath, text: gatedTemplate(plan.template, plan.chat) }],
  start: () => `exec torchrun "\${RENDEZVOUS[@]}" -m nemo_automodel.cli.app "$CONFIG"`,
};
