import { hasSplit } from "../dataset-parts.ts";
import type { SplitName } from "../split.ts";
import { type YamlValue, yamlText } from "../yaml-text.ts";
import {
  adamKeys,
  headline,
  type Launcher,
  type LaunchFile,
  type LaunchPlan,
  modelFolder,
  type TrainerData,
  type TrainerRun,
  validationNote,
} from "./launcher.ts";
import { noTemplate, requireTemplateName, templateName } from "./template-names.ts";

const adapter = ({ training: { method, loraRank, loraAlpha, loraDropout } }: TrainerRun): Record<string, YamlValue> =>
  method === "full"
    ? { tuner_type: "full" }
    : {
        tuner_type: "lora",
        lora_rank: loraRank,
        lora_alpha: loraAlpha,
        lora_dropout: loraDropout,
        target_modules: ["all-linear"],
        ...(method === "qlora" ? { quant_method: "bnb", quant_bits: 4, bnb_4bit_quant_type: "nf4", bnb_4bit_use_double_quant: true } : {}),
      };

/** Its name for a family by the class of a layer; not guessed from the folder's name. Qwen2's covers Qwen2.5. */
const modelTypes: Readonly<Record<string, string>> = {
  Qwen2DecoderLayer: "qwen2",
  Qwen3DecoderLayer: "qwen3",
  LlamaDecoderLayer: "llama",
  MistralDecoderLayer: "mistral",
};

/** Left out where nobody says the class: then ms-swift looks into config.json, and asks where several of its names fit. */
function modelType({ chat }: LaunchPlan, { shape }: TrainerRun): Record<string, YamlValue> {
  const layer = shape?.decoderLayer ?? (chat === undefined ? "Qwen2DecoderLayer" : null);
  const type = layer === null ? undefined : modelTypes[layer];
  return type === undefined ? {} : { model_type: type };
}

/** Parquet files by name: ms-swift takes a folder for a repository. */
const files = ({ mixture }: TrainerData, plan: LaunchPlan, split: SplitName): string[] =>
  mixture.parts.flatMap(({ layout, kind }) => plan.parts.find((part) => part.layout === layout && part.kind === kind)?.files[split] ?? []);

function keys(plan: LaunchPlan, run: TrainerRun, data: TrainerData): Record<string, YamlValue> {
  const { training } = run;
  const validation = hasSplit(data.mixture.parts, "validation");
  return {
    model: modelFolder,
    ...modelType(plan, run),
    ...adapter(run),
    dataset: files(data, plan, "train"),
    ...(validation ? { val_dataset: files(data, plan, "validation"), eval_strategy: "epoch", per_device_eval_batch_size: 1 } : {}),
    split_dataset_ratio: 0, // the split is by repository and made
    strict: true, // a row that cannot be read ends the run
    template: requireTemplateName("ms-swift", plan.chat),
    loss_scale: "default",
    torch_dtype: "bfloat16",
    max_length: plan.windowTokens,
    truncation_strategy: "delete", // there is none to delete: longer samples are not in the dataset
    ...(run.contextParallel > 1 ? { sequence_parallel_size: run.contextParallel } : {}),
    attn_impl: "flash_attn",
    padding_free: true,
    packing: training.packing,
    use_liger_kernel: true,
    gradient_checkpointing: true,
    ...(run.shards > 1 ? { deepspeed: "zero3" } : {}),
    num_train_epochs: data.duration.epochs,
    per_device_train_batch_size: 1,
    gradient_accumulation_steps: run.accumulation,
    optim: "adamw_torch_fused",
    ...adamKeys(training),
    lr_scheduler_type: "cosine",
    warmup_ratio: training.warmupRatio,
    seed: plan.seed,
    data_seed: plan.seed,
    bf16: true,
    logging_steps: 1,
    save_strategy: "epoch",
    save_only_model: true,
    add_version: false,
    output_dir: `./out/ms-swift-${data.mixture.name}`,
  };
}

/** https://github.com/modelscope/ms-swift, by DeepSpeed. Reads each message's `loss`. */
export const msSwift: Launcher = {
  title: "ms-swift 4.6",
  homepage: "https://github.com/modelscope/ms-swift",
  packages: ["ms-swift==4.6.0", "deepspeed", "liger-kernel", "bitsandbytes", "flash-attn --no-build-isolation"],
  can: { contextParallel: true, qlora: true, offload: "never", packing: "with-context-parallel" },
  layouts: {
    messages:
      "Each message's `loss` says whether it is trained: exactly the turns that are meant, and beside them the newline that follows a turn's end.",
  },
  misreads: (_layout, chat) => (templateName("ms-swift", chat) === null ? noTemplate("ms-swift") : null),
  config(plan, run, data): LaunchFile {
    const path = `configs/ms-swift/${data.mixture.name}.yaml`;
    const comment = [
      ...headline(plan, data, msSwift.title, path, "ms-swift"),
      msSwift.layouts[data.layout] ?? "",
      "weight_decay and adam_beta2 are said because its own defaults are 0.1 and 0.95.",
      ...(hasSplit(data.mixture.parts, "validation") ? [validationNote] : []),
    ];
    return { path, text: yamlText(keys(plan, run, data), comment) };
  },
  start: () => `# The loss of a long sequence is computed in pieces of this many tokens where liger does not do it.
export CELOSS_PARALLEL_SIZE="\${CELOSS_PARALLEL_SIZE:-2048}"
export NPROC_PER_NODE="$GPUS_PER_NODE" NNODES="$NODES" NODE_RANK MASTER_ADDR="$HEAD_HOST" MASTER_PORT="$HEAD_PORT"
exec swift sft "$CONFIG"`,
};
