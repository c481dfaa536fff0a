import { hasSplit, type Mixture } from "../dataset-parts.ts";
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
  type TrainerLayout,
  type TrainerRun,
  validationNote,
} from "./launcher.ts";

/** How axolotl is to read a layout. Without `message_field_training` it would ignore the flags and train every agent turn. */
const readers: { readonly [K in TrainerLayout]?: { readonly [key: string]: YamlValue } } = {
  "input-output": { type: "input_output" },
  tokenized: {}, // without a type, the columns input_ids, attention_mask and labels are taken as they are
  messages: {
    type: "chat_template",
    field_messages: "messages",
    message_property_mappings: { role: "role", content: "content" },
    roles_to_train: ["assistant"],
    train_on_eos: "turn",
    message_field_training: "train",
  },
};

const datasets = ({ parts }: Mixture, layout: TrainerLayout, split: SplitName): YamlValue[] =>
  parts.filter((part) => part.splits.includes(split)).map((part) => ({ path: `./${layout}/${part.kind}`, split, ...readers[layout] }));

/** Qwen's own where no other template is named; of others axolotl takes the padding from the tokenizer, if it is not Qwen's. */
function endOfTurn(chat: LaunchPlan["chat"]): Record<string, YamlValue> {
  const [end, padding] = [chat?.end ?? "<|im_end|>", "<|endoftext|>"];
  const pads = chat === undefined || chat.controlTexts.includes(padding);
  return { special_tokens: { eos_token: end, ...(pads ? { pad_token: padding } : {}) }, eot_tokens: [end] };
}

function dataKeys({ mixture, layout }: TrainerData): Record<string, YamlValue> {
  const validation = datasets(mixture, layout, "validation");
  return {
    datasets: datasets(mixture, layout, "train"),
    ...(validation.length === 0 ? {} : { test_datasets: validation }),
    dataset_prepared_path: `./prepared/axolotl-${mixture.name}-${layout}`,
    val_set_size: 0, // the split is by repository and made; axolotl must not draw its own
    ...(validation.length === 0 ? {} : { eval_strategy: "epoch", eval_batch_size: 1, eval_sample_packing: false }),
  };
}

const parallelism = ({ training, contextParallel }: TrainerRun): Record<string, YamlValue> =>
  // batch_ring mixes up packed documents, varlen_llama3 is for them
  contextParallel === 1
    ? {}
    : { context_parallel_size: contextParallel, heads_k_stride: 1, ring_attn_func: training.packing ? "varlen_llama3" : "batch_ring" };

const adapter = ({ training: { method, loraRank, loraAlpha, loraDropout } }: TrainerRun): Record<string, YamlValue> =>
  method === "full"
    ? {}
    : {
        adapter: method,
        ...(method === "qlora" ? { load_in_4bit: true } : {}),
        lora_r: loraRank,
        lora_alpha: loraAlpha,
        lora_dropout: loraDropout,
        lora_target_linear: true,
      };

const sharding = ({ training, shape, shards }: TrainerRun): Record<string, YamlValue> =>
  shards === 1
    ? {}
    : {
        fsdp_version: 2,
        fsdp_config: {
          offload_params: false,
          cpu_ram_efficient_loading: true,
          auto_wrap_policy: "TRANSFORMER_BASED_WRAP",
          transformer_layer_cls_to_wrap: shape?.decoderLayer ?? "Qwen2DecoderLayer",
          state_dict_type: training.method === "full" ? "FULL_STATE_DICT" : "SHARDED_STATE_DICT",
          reshard_after_forward: true,
        },
      };

function keys(plan: LaunchPlan, run: TrainerRun, data: TrainerData): Record<string, YamlValue> {
  const { training } = run;
  return {
    base_model: modelFolder,
    chat_template: "tokenizer_default",
    ...endOfTurn(plan.chat),
    train_on_inputs: false,
    ...dataKeys(data),
    sequence_len: plan.windowTokens,
    excess_length_strategy: "raise",
    sample_packing: training.packing,
    pad_to_sequence_len: training.packing,
    ...parallelism(run),
    ...adapter(run),
    attn_implementation: "flash_attention_2",
    plugins: ["axolotl.integrations.liger.LigerPlugin"],
    liger_rope: true,
    liger_rms_norm: true,
    liger_glu_activation: true,
    liger_fused_linear_cross_entropy: true,
    num_epochs: data.duration.epochs,
    micro_batch_size: 1,
    gradient_accumulation_steps: run.accumulation,
    optimizer: "adamw_torch_fused",
    ...adamKeys(training),
    lr_scheduler: "cosine",
    warmup_ratio: training.warmupRatio,
    seed: plan.seed,
    bf16: true,
    tf32: true,
    gradient_checkpointing: true,
    ...(run.offloadCheckpoints ? { activation_offloading: true } : {}),
    ...sharding(run),
    logging_steps: 1,
    save_strategy: "epoch",
    output_dir: `./out/axolotl-${data.mixture.name}-${data.layout}`,
  };
}

/** https://github.com/axolotl-ai-cloud/axolotl. One file per mixture and layout. */
export const axolotl: Launcher = {
  title: "axolotl 0.19",
  homepage: "https://github.com/axolotl-ai-cloud/axolotl",
  packages: ["axolotl[flash-attn,ring-flash-attn]==0.19.0"],
  can: { contextParallel: true, qlora: true, offload: "by-recipe", packing: "with-context-parallel" },
  layouts: {
    "input-output": "Trained text is written down in the rows: exact, fast, no chat template involved. Prefer this one.",
    tokenized: "Token ids and labels are taken as they are: exact.",
    messages:
      "The same samples through the chat template, masked by each message's `train`. Slower (quadratic in the turns), and a leading [[ or trailing ]] of a trained turn is taken out of the loss.",
  },
  config(plan, run, data): LaunchFile {
    const path = `configs/axolotl/${data.mixture.name}-${data.layout}.yaml`;
    const comment = [
      ...headline(plan, data, axolotl.title, path, "axolotl"),
      axolotl.layouts[data.layout] ?? "",
      ...(run.contextParallel > 1 ? ["Context parallelism needs ring-flash-attn 0.1.7 or newer."] : []),
      ...(hasSplit(data.mixture.parts, "validation") ? [validationNote] : []),
    ];
    return { path, text: yamlText(keys(plan, run, data), comment) };
  },
  start: () => `# Tokenize once, without GPUs, instead of on every host at a time; the other hosts wait for it at the meeting point.
[[ "$NODE_RANK" != 0 ]] || axolotl preprocess "$CONFIG"
exec torchrun "\${RENDEZVOUS[@]}" -m axolotl.cli.train "$CONFIG"`,
};
