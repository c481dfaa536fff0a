import type { ChatFormat } from "../../../schemas/chat-format.ts";
import { chatml } from "../../lib/chatml.ts";

/** Trainers that write messages by templates of their own, which the config names. */
export type TemplateReader = "ms-swift" | "llamafactory";

type Written = Pick<ChatFormat, "headers" | "footers" | "lastHeader">;

interface Known {
  /** What the template writes around flat messages that open with a system message, as those of a dataset all do. */
  readonly written: Written;
  readonly names: Readonly<Record<TemplateReader, string>>;
}

const llamaHeader = (role: string): string => `<|start_header_id|>${role}<|end_header_id|>\n\n`;
const llama: Written = {
  headers: { system: `<|begin_of_text|>${llamaHeader("system")}`, user: llamaHeader("user"), assistant: llamaHeader("assistant") },
  footers: { system: "<|eot_id|>", user: "<|eot_id|>", assistant: "<|eot_id|>" },
  lastHeader: llamaHeader("assistant"),
};
const mistral: Written = {
  headers: { system: "<s>[SYSTEM_PROMPT]", user: "[INST]", assistant: "" },
  footers: { system: "[/SYSTEM_PROMPT]", user: "[/INST]", assistant: "</s>" },
  lastHeader: "",
};

/**
 * Read in their sources: ms-swift 4.6 `swift/template/templates/{qwen,llama,mistral}.py`, LLaMA-Factory 0.9.5 `llamafactory/data/template.py`.
 * Only ChatML was run against them (test/trainers). Not in it: Qwen3's hybrid models, whose last turn says that nothing was thought, which
 * both trainers would take into the loss or write elsewhere; Llama 3.1 and later, where ms-swift writes the date of the day.
 */
const known: readonly Known[] = [
  { written: chatml, names: { "ms-swift": "qwen2_5", llamafactory: "qwen" } },
  { written: llama, names: { "ms-swift": "llama3", llamafactory: "llama3" } },
  { written: mistral, names: { "ms-swift": "mistral_2501", llamafactory: "mistral_small" } },
];

const roles = ["system", "user", "assistant"] as const;
const same = (one: Written, other: Written): boolean =>
  one.lastHeader === other.lastHeader &&
  roles.every((role) => one.headers[role] === other.headers[role] && one.footers[role] === other.footers[role]);

/** The trainer's template that writes messages as the model's own does; null: it has none. `chat` left out: Qwen2.5's. */
export const templateName = (trainer: TemplateReader, chat: ChatFormat = chatml): string | null =>
  known.find(({ written }) => same(written, chat))?.names[trainer] ?? null;

/** The same where `misreads` has let the row pass. */
export function requireTemplateName(trainer: TemplateReader, chat: ChatFormat | undefined): string {
  const name = templateName(trainer, chat);
  if (name === null) throw new Error(`${trainer} has no template for this model, and a config was asked for all the same`);
  return name;
}

/** Why there is no config of text for it, and who can. */
export const noTemplate = (trainer: TemplateReader): string =>
  `none of the templates that catgen knows of it (${known.map(({ names }) => names[trainer]).join(", ")}) writes messages as this model's chat template does, and a near one would train other text; ${
    trainer === "llamafactory" ? "it takes the layout tokenized as it is; " : ""
  }axolotl, trl and automodel take the model's own template`;
