import { hasSplit } from "../dataset-parts.ts";
import { type YamlValue, yamlText } from "../yaml-text.ts";
import {
  adamKeys,
  type ConfigFile,
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
import { noTemplate, templateName } from "./template-names.ts";

const folder = "configs/llamafactory";
const deepspeedPath = `${folder}/ds_z3.json`;

const adapter = ({ training: { method, loraRank, loraAlpha, loraDropout } }: TrainerRun): Record<string, YamlValue> =>
  method === "full"
    ? { finetuning_type: "full" }
    : {
        finetuning_type: "lora",
        lora_rank: loraRank,
        lora_alpha: Math.round(loraAlpha), // a whole number there
        lora_dropout: loraDropout,
        lora_target: "all",
        ...(method === "qlora"
          ? { quantization_method: "bnb", quantization_bit: 4, quantization_type: "nf4", double_quantization: true }
          : {}),
      };

/** Tokenized rows come with their labels; rows of text are trained at the last turn, or at every turn where each is the sample's own. */
function dataKeys({ layout, mixture }: TrainerData, { chat }: LaunchPlan): Record<string, YamlValue> {
  const name = `${mixture.name}-${layout}`;
  const validation = hasSplit(mixture.parts, "validation");
  // Rows of tokens pass no template; `empty` leaves the tokenizer as it is.
  const common = { dataset_dir: `./${folder}`, dataset: name, template: templateName("llamafactory", chat) ?? "empty" };
  if (layout === "tokenized")
    return { ...common, tokenized_path: `./tokenized-disk/${mixture.name}`, ...(validation ? { eval_strategy: "epoch" } : {}) };
  return {
    ...common,
    ...(validation ? { eval_dataset: `${name}-validation`, eval_strategy: "epoch" } : {}),
    mask_history: layout === "turns",
    overwrite_cache: true, // else it takes rows of an earlier dataset of this name
    preprocessing_num_workers: 16,
  };
}

/** Packing is part of its reading of text; it takes one token off cutoff_len then, and drops rows that do not fit what is left. */
const packing = (plan: LaunchPlan, { training }: TrainerRun, { layout }: TrainerData): Record<string, YamlValue> =>
  training.packing && layout !== "tokenized"
    ? { cutoff_len: plan.windowTokens + 1, packing: true, neat_packing: true }
    : { cutoff_len: plan.windowTokens, packing: false };

function keys(plan: LaunchPlan, run: TrainerRun, data: TrainerData): Record<string, YamlValue> {
  const { training } = run;
  return {
    model_name_or_path: modelFolder,
    stage: "sft",
    do_train: true,
    ...adapter(run),
    ...(run.shards > 1 ? { deepspeed: `./${deepspeedPath}` } : {}),
    ...dataKeys(data, plan),
    ...packing(plan, run, data),
    flash_attn: "fa2",
    enable_liger_kernel: true,
    use_unsloth_gc: true, // saved layer inputs wait in the host's memory
    num_train_epochs: data.duration.epochs,
    per_device_train_batch_size: 1,
    per_device_eval_batch_size: 1,
    gradient_accumulation_steps: run.accumulation,
    optim: "adamw_torch_fused",
    ...adamKeys(training),
    lr_scheduler_type: "cosine",
    warmup_steps: training.warmupRatio,
    seed: plan.seed,
    bf16: true,
    ddp_timeout: 180_000_000, // seconds; rank 0 prepares the data while the others wait
    logging_steps: 1,
    save_strategy: "epoch",
    save_only_model: true,
    report_to: "none",
    output_dir: `./out/llamafactory-${data.mixture.name}-${data.layout}`, // it would resume what lies there
  };
}

/** ZeRO stage 3 as transformers fills it in. */
const deepspeed = {
  train_batch_size: "auto",
  train_micro_batch_size_per_gpu: "auto",
  gradient_accumulation_steps: "auto",
  gradient_clipping: "auto",
  bf16: { enabled: "auto" },
  zero_optimization: {
    stage: 3,
    overlap_comm: false,
    contiguous_gradients: true,
    stage3_gather_16bit_weights_on_model_save: true,
  },
};

const entry = (data: TrainerData, split: "train" | "validation") => ({
  file_name: `../../${linkedRows(data, "llamafactory", split)}`,
  formatting: "sharegpt",
  columns: { messages: "messages" },
  tags: { role_tag: "role", content_tag: "content", user_tag: "user", assistant_tag: "assistant", system_tag: "system" },
});

/** Its register of datasets. Tokenized rows are found by `tokenized_path`, but the parser wants a known name all the same. */
function datasetInfo(configs: readonly ConfigFile[]): LaunchFile {
  const entries = configs.flatMap(({ data }) => [
    [`${data.mixture.name}-${data.layout}`, entry(data, "train")] as const,
    ...(data.layout !== "tokenized" && hasSplit(data.mixture.parts, "validation")
      ? [[`${data.mixture.name}-${data.layout}-validation`, entry(data, "validation")] as const]
      : []),
  ]);
  return { path: `${folder}/dataset_info.json`, text: `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n` };
}

/** https://github.com/hiyouga/LLaMA-Factory, by DeepSpeed. It has no flag per message and no context parallelism. */
export const llamafactory: Launcher = {
  title: "LLaMA-Factory 0.9.5",
  homepage: "https://github.com/hiyouga/LLaMA-Factory",
  packages: ["llamafactory==0.9.5", "deepspeed<=0.18.4", "liger-kernel", "bitsandbytes", "flash-attn --no-build-isolation"],
  can: { contextParallel: false, qlora: true, offload: "always", packing: "without-context-parallel" },
  layouts: {
    tokenized: "Token ids and labels are taken as they are, from the `save_to_disk` folder in `tokenized-disk`: exact.",
    turns:
      "One row per trained turn, of which `mask_history` trains the last: exact turns (and the newline behind each), at several times the tokens.",
    messages: "Every agent turn of a row is trained, so this is written for `base` and `flat` samples alone, where that is what is meant.",
  },
  reads: ({ layout, mixture }) => layout !== "messages" || mixture.name === "base" || mixture.name === "flat",
  misreads: (layout, chat) => (layout !== "tokenized" && templateName("llamafactory", chat) === null ? noTemplate("llamafactory") : null),
  config(plan, run, data): LaunchFile {
    const path = `${folder}/${data.mixture.name}-${data.layout}.yaml`;
    const comment = [
      ...headline(plan, data, llamafactory.title, path, "llamafactory"),
      llamafactory.layouts[data.layout] ?? "",
      "It has no context parallelism: each GPU works on sequences of its own, whatever the recipe says. Samples longer than cutoff_len would be cut",
      "silently; there are none in the dataset. warmup_steps below 1 is a share of all steps.",
      ...(run.training.packing && data.layout === "tokenized" ? ["packing is off: it packs what it tokenizes itself."] : []),
      ...(run.training.packing && data.layout !== "tokenized"
        ? ["cutoff_len is the window and one more, which it takes off when it packs."]
        : []),
      ...(hasSplit(data.mixture.parts, "validation") ? [validationNote] : []),
    ];
    return { path, text: yamlText(keys(plan, run, data), comment) };
  },
  extras: (_plan, run, configs) => [
    datasetInfo(configs),
    ...(run.shards > 1 ? [{ path: deepspeedPath, text: `${JSON.stringify(deepspeed, null, 2)}\n` }] : []),
  ],
  start: () => `export FORCE_TORCHRUN=1
export NPROC_PER_NODE="$GPUS_PER_NODE" NNODES="$NODES" NODE_RANK MASTER_ADDR="$HEAD_HOST" MASTER_PORT="$HEAD_PORT"
exec llamafactory-cli train "$CONFIG"`,
};
