import type { MixtureName } from "../../schemas/recipe/export.ts";
import type { SampleKind } from "../../schemas/sample.ts";
import type { Stats } from "../../schemas/stats.ts";
import { type AuditSizes, auditConfigs, auditText } from "./audit.ts";
import { citationText, limitsText, type MadeWith, madeWithText, personalText } from "./card-sections.ts";
import { contaminationText } from "./contamination-card.ts";
import {
  combinedConfigs,
  type DatasetConfig,
  type DatasetPart,
  hasSplit,
  mixtureConfigs,
  mixturesOf,
  partConfigs,
} from "./dataset-parts.ts";
import { funnelMarkdown } from "./funnel-table.ts";
import type { LauncherName } from "./launchers/launcher.ts";
import { type LayoutName, layouts } from "./layouts/index.ts";
import { grouped } from "./number-text.ts";
import type { ExportParams } from "./params.ts";
import type { Provenance } from "./provenance.ts";
import type { SplitName } from "./split.ts";
import { statsMarkdown } from "./statistics-table.ts";
import { type YamlValue, yamlText } from "./yaml-text.ts";

/** Rows of one split on disk. */
export interface SplitSize {
  readonly layout: LayoutName;
  readonly kind: SampleKind;
  readonly split: SplitName;
  readonly rows: number;
  readonly tokens: number;
  readonly trainedTokens: number;
}

export interface CardFacts {
  readonly params: ExportParams;
  readonly parts: readonly DatasetPart[];
  readonly sizes: readonly SplitSize[];
  readonly provenance: Provenance;
  readonly repositories: Readonly<Record<SplitName, number>>;
  /** Left out at export, by kind and reason. */
  readonly refused: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly stats: Stats;
  /** Whose tokens are counted. */
  readonly tokenizer: string;
  /** Digest over the rows of the whole dataset. */
  readonly content: string;
  /** null: not told. */
  readonly made: MadeWith | null;
  /** Trainers that there are configs for. */
  readonly trainers: readonly LauncherName[];
  /** null: none travels with it. */
  readonly audit: AuditSizes | null;
}

/** SPDX ids by the Hub's own names. Source: huggingface.co/docs/hub/repositories-licenses. */
const hubLicences = new Set([
  "apache-2.0",
  "mit",
  "bsd-2-clause",
  "bsd-3-clause",
  "isc",
  "unlicense",
  "mpl-2.0",
  "gpl-2.0",
  "gpl-3.0",
  "lgpl-2.1",
  "lgpl-3.0",
  "agpl-3.0",
  "cc0-1.0",
  "cc-by-4.0",
  "cc-by-sa-4.0",
  "cc-by-nc-4.0",
  "cc-by-nc-sa-4.0",
  "odc-by",
  "unknown",
]);
const hubLicence = (licence: string): string => {
  const name = licence
    .toLowerCase()
    .replace(/-(?:only|or-later)$/, "")
    .replace(/^odc-by-.*/, "odc-by");
  return hubLicences.has(name) ? name : "other";
};

const sizeBounds = [1e3, 1e4, 1e5, 1e6, 1e7] as const;
const sizeNames = ["n<1K", "1K<n<10K", "10K<n<100K", "100K<n<1M", "1M<n<10M", "10M<n<100M"] as const;
const sizeCategory = (rows: number): string => {
  const index = sizeBounds.findIndex((bound) => rows < bound);
  return sizeNames[index < 0 ? sizeNames.length - 1 : index] ?? sizeNames[0];
};

/**
 * `datasets` finds a local folder's rows in its cache by the folder's last name and these entries, never by the files: without a
 * description that changes with the rows, it would load those of an earlier export, or of another dataset with the same folder name.
 */
const configYaml = ({ name, data }: DatasetConfig, content: string, first: boolean): YamlValue => ({
  config_name: name,
  ...(first ? { default: true } : {}),
  description: `content ${content}`,
  data_files: data.map(({ split, paths }) => ({ split, path: paths })),
});

const configsYaml = (configs: readonly DatasetConfig[], content: string, more: readonly YamlValue[] = []): Record<string, YamlValue> => {
  const entries = [...configs.map((config, index) => configYaml(config, content, index === 0)), ...more];
  return entries.length === 0 ? {} : { configs: entries };
};

/** A layout's rows are the same samples as another's: they are counted once. */
const rowsOnce = ({ sizes }: CardFacts): number => {
  const layout = sizes[0]?.layout;
  return sizes.reduce((sum, size) => sum + (size.layout === layout ? size.rows : 0), 0);
};

/** Licences of all sources, by the hub's names. */
export const licencesOf = ({ sources }: Provenance): string[] =>
  [...new Set(Object.values(sources).flatMap((counts) => Object.keys(counts).map(hubLicence)))].sort();

const namedConfigs = ({ parts, params }: CardFacts): DatasetConfig[] => [
  ...combinedConfigs(parts, params.export.mixtures),
  ...partConfigs(parts),
];

function frontMatter(facts: CardFacts): string {
  const licences = licencesOf(facts.provenance);
  const yaml = yamlText({
    pretty_name: facts.params.export.name,
    ...(licences.length === 0 ? {} : { license: licences.length === 1 ? (licences[0] ?? "other") : licences }),
    language: ["en"],
    task_categories: ["text-generation"],
    tags: ["agent", "software-engineering", "swe-bench", "context-management", "tool-use", "sft"],
    size_categories: [sizeCategory(rowsOnce(facts))],
    ...configsYaml(namedConfigs(facts), facts.content, facts.audit === null ? [] : auditConfigs(facts.audit, facts.content)),
  });
  return `---\n${yaml}---\n`;
}

const escapedCell = (text: string): string => text.replaceAll("|", "\\|").replace(/\s+/g, " ");
const table = (head: readonly string[], rows: readonly (readonly (string | number)[])[]): string =>
  [head, head.map((_cell, index) => (index === 0 ? "---" : "---:")), ...rows]
    .map((row) => `| ${row.map((cell) => escapedCell(typeof cell === "number" ? grouped(cell) : cell)).join(" | ")} |`)
    .join("\n");
const code = (text: string): string => `\`${text.replaceAll("`", "'")}\``;
const listed = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([name, count]) => `${code(name)} (${grouped(count)})`)
    .join(", ");

/** What a reader must know before anything else. */
function labels({ provenance }: CardFacts): string[] {
  const extractive = provenance.condensers["extractive"] ?? 0;
  const blocks = Object.values(provenance.condensers).reduce((sum, count) => sum + count, 0);
  return [
    ...(extractive > 0
      ? [
          `> **Built-in memories.** ${extractive} of ${blocks} memory blocks were written by the built-in \`extractive\` condenser: lines picked from the trajectory by rules, by no model. They show the form of the data; for training, write them with a model.`,
        ]
      : []),
    ...(provenance.scripted > 0
      ? [
          `> **Scripted agent.** ${provenance.scripted} of ${provenance.trajectories} trajectories were made by a scripted policy that replays decisions in a real sandbox, not by a model.`,
        ]
      : []),
  ];
}

function origin({ params, provenance, repositories, made }: CardFacts): string {
  const { persona, window, condense, filter } = params;
  const { actions = {}, ...limits } = filter ?? {};
  const thresholds = Object.entries(limits).filter(([, value]) => value !== null);
  const actionTexts = Object.entries(actions).map(([name, action]) => code(`${name}: ${action}`));
  return `## How it was made

Base ReAct trajectories of software-engineering agents were taken as they are; context calls were put in at insertion points found from
signals, their memories were written from the task, the previous memory and the folded steps alone, and the whole was cut into samples,
measured with the exact tokenizer, and judged.

- **Persona** \`${persona.name}\`, calls written as \`${persona.callStyle}\` (${persona.callStyle === "hermes" ? "the Qwen2.5 chat template's own form" : "functions as text, as in OpenHands and SWE-smith"})${persona.name === "keep" ? "; prompts and tools are the sources'" : ""}. Text of the data that would become a control token: \`${persona.controlTokens}\`.
- **Window** ${window.tokens} tokens, ${window.replyTokens} kept free for each reply; up to ${window.keepSteps} recent steps stay verbatim behind a memory.
- **Memories** by ${Object.keys(provenance.condensers).length === 0 ? "nobody (there are none)" : listed(provenance.condensers)}; aimed at ${condense.memoryBaseTokens} tokens + ${condense.memoryShare} of what they stand for, at most ${condense.memoryCapTokens}.
- **Agent turns** by ${Object.keys(provenance.agentModels).length === 0 ? "nobody (there are none)" : listed(provenance.agentModels)}.
${thresholds.length === 0 ? "" : `- **Thresholds** ${thresholds.map(([name, value]) => code(`${name}: ${Array.isArray(value) ? value.join(", ") : String(value)}`)).join(", ")}.\n`}${actionTexts.length === 0 ? "" : `- **Actions** of filters where they are not to reject: ${actionTexts.join(", ")}.\n`}- **Split** by repository, so that no repository is on both sides: ${repositories.train} train${repositories.validation === 0 ? "; no validation split" : `, ${repositories.validation} validation`}, seed ${params.seed}.
${made === null ? "" : `${madeWithText(made)}\n`}
### Sources and licences

${table(
  ["source", "licence", "trajectories"],
  Object.entries(provenance.sources).flatMap(([source, licences]) =>
    Object.entries(licences).map(([licence, count]) => [source, licence, count]),
  ),
)}

The text of a sample is under the licence of its source (\`cat_license\`); repositories quoted in it keep their own.`;
}

const keptText = ({ stats: { funnel } }: CardFacts): string =>
  funnel === null || funnel.total.in.trajectories === 0
    ? ""
    : `## What was kept, and why not the rest

A trajectory is kept when it gives segments; each one that is lost is counted at the first filter that rejects it, in the order of the table.

![What is left after each filter](funnel.svg)

${funnelMarkdown(funnel)}`;

const kindTexts: Readonly<Record<SampleKind, string>> = {
  segment:
    "what the agent sees between two context calls: task, memory and recent steps (shown), then steps and the next context call (trained). Each step and each call is trained exactly once over a trajectory's segments",
  condense: "what the condenser was asked (shown) and the memory it wrote (trained)",
  base: "the whole trajectory without context calls, every agent turn trained: the ReAct baseline",
  flat: "the whole trajectory with its context calls in line and nothing folded, every agent turn trained once; a live agent never sees the turns behind a context call so",
  step: "one sample per model call: what the agent sees at that call (shown) and its turn (trained)",
};

/** What is trained on together, as training configs name it. */
function mixtureTable({ parts, stats: { mixtures } }: CardFacts): string {
  if (mixtures === null || mixtures.length === 0) return "";
  const sum = (samples: readonly { readonly train: number; readonly validation: number }[], split: SplitName): number =>
    samples.reduce((total, one) => total + one[split], 0);
  const rows = mixtures.map(({ name, samples }) => [
    name,
    samples.map(({ kind, train }) => `${grouped(train)} ${kind}`).join(" + "),
    sum(samples, "train"),
    ...(hasSplit(parts, "validation") ? [sum(samples, "validation")] : []),
  ]);
  return `Mixtures, each the data of one training (\`configs/*/<mixture>-<layout>\`):\n\n${table(["mixture", "of which", "train", ...(hasSplit(parts, "validation") ? ["validation"] : [])], rows)}\n\n`;
}

function contents(facts: CardFacts): string {
  if (facts.parts.length === 0) return "## What is in it\n\nNo samples: nothing passed the thresholds.";
  const kinds = [...new Set(facts.parts.map((part) => part.kind))];
  const present = [...new Set(facts.parts.map((part) => part.layout))];
  const refused = Object.entries(facts.refused).flatMap(([kind, reasons]) =>
    Object.entries(reasons).map(([why, count]) => [kind, why, count]),
  );
  return `## What is in it

${table(
  ["layout", "kind", "split", "rows", "tokens", "trained tokens"],
  facts.sizes.map((size) => [size.layout, size.kind, size.split, size.rows, size.tokens, size.trainedTokens]),
)}

${mixtureTable(facts)}Kinds:
${kinds.map((kind) => `- \`${kind}\`: ${kindTexts[kind]}.`).join("\n")}

Layouts hold the same samples in the same order${present.includes("turns") ? " (`turns` has a row for each trained turn of them)" : ""}:
${present.map((layout) => `- \`${layout}\`: ${layouts[layout].text}.`).join("\n")}

**Mask.** Loss is on the content and the \`<|im_end|>\` of trained turns, and on nothing else: not on headers, tool results, memories that are
shown, nor on turns that are repeated for context. Who keeps to it, by layout:
${present.map((layout) => `- \`${layout}\`: ${layouts[layout].loss}`).join("\n")}

Token counts are exact for ${facts.tokenizer}; the text equals the model's own chat template.

Columns beside the layout's own start with \`cat_\`: sample, instance and trajectory ids; \`cat_segment_index\` of \`cat_num_segments\` (samples of
that kind before judging); \`cat_step_ids\` (per message, the base step it renders; -1: none); tool schemas, call style, token counts,
\`cat_resolved\` (null: nobody says), source, licence, and \`cat_meta_json\` (writers of the memories, persona, exit, marks).
${refused.length === 0 ? "" : `\nKept by the thresholds and left out at export:\n\n${table(["kind", "reason", "samples"], refused)}\n`}`;
}

/** Commands from the folder to the first step of a training, as they are run in our tests. Empty: there is no trainer's config. */
function trainingText({ trainers, params }: CardFacts): string {
  const { model, yarn, nodes, engines } = params.export.training;
  const [first, ...others] = [...trainers].sort((a, b) => Number(b === "trl") - Number(a === "trl"));
  if (first === undefined) return "No trainer's configs go with it.";
  const or = others.length === 0 ? "" : `# or ${others.join(", ")}`;
  const launch = engines.length === 0 ? "" : `launch/{${engines.join(",")}}/`;
  const start =
    nodes === 1
      ? `bash configs/${first}/run.sh`
      : `NODE_RANK=0 HEAD_HOST=host-a bash configs/${first}/run.sh   # on each of ${nodes} hosts with its rank${launch === "" ? "" : `, or by ${launch}`}`;
  const lines: [string, string][] = [
    ["python3 launch/prepare-model.py", `# ${model} into ./model${yarn ? `, positions stretched to ${params.window.tokens} by YaRN` : ""}`],
    [`bash configs/${first}/install.sh`, or],
    [start, ""],
  ];
  return `For training, download the whole folder, then, from inside it:

\`\`\`bash
${lines.map(([command, comment]) => `${comment === "" ? command : `${command.padEnd(47)} ${comment}`}`.trimEnd()).join("\n")}
\`\`\`

The configs hold the hyper-parameters of the paper where it states them; the rest (batch, betas, precision, YaRN) is ours. \`configs/README.md\` says what each
trainer reads, whether each turn is trained exactly once by it, and what memory and time a training takes.`;
}

function usage(facts: CardFacts): string {
  const config = namedConfigs(facts)[0]?.name;
  if (config === undefined) return "";
  const validation = hasSplit(facts.parts, "validation") ? "; splits `train` and `validation`" : "";
  return `## How to load and train

\`\`\`python
from datasets import load_dataset

dataset = load_dataset("PATH_OR_REPO", "${config}", split="train")  # a path must end in a name, so not "."
\`\`\`

Configurations are named \`<layout>-<kind>\`${combinedConfigs(facts.parts, facts.params.export.mixtures).length > 0 ? ", those of several kinds in one `<layout>-<mixture>`" : ""}${validation}.

${trainingText(facts)}

Inference must keep to \`runtime.yaml\`.
${facts.parts.some((part) => part.layout === "messages") ? "Other trainers: verl and OpenRLHF read `messages` but train every agent turn, the repeated ones too: give them the `base` kind only.\n" : ""}`;
}

/** What it is, in two sentences. */
export const about =
  "Supervised fine-tuning data that teaches a model to manage its own context: it calls a `context` tool, which replaces the older part of the\nconversation by a structured memory. Built after *Context as a Tool* (CAT) by the CAT-Generator pipeline; it is not the paper's own data.";

/** README.md of the dataset. Nothing in it depends on time or place. */
export function datasetCard(facts: CardFacts): string {
  return [
    frontMatter(facts),
    `# ${facts.params.export.name}`,
    ...labels(facts),
    about,
    contents(facts),
    `## Table 1 of the paper, and this dataset\n\nOver the ${grouped(facts.stats.run.trajectories)} trajectories with at least one exported segment. The paper states one compression and does not say whether it means the memory against\nwhat it replaces (fold) or the window after a call against before (whole window).\n\n${statsMarkdown(facts.stats)}`,
    keptText(facts),
    contaminationText(facts.stats.funnel, facts.params.evaluation, facts.params.filter),
    origin(facts),
    personalText(),
    limitsText(),
    usage(facts),
    facts.audit === null ? "" : auditText(facts.audit),
    citationText(facts.params.export),
  ]
    .filter((part) => part !== "")
    .join("\n\n")
    .replace(/\n{3,}/g, "\n\n")
    .trimEnd()
    .concat("\n");
}

/** README.md of a layout's folder, which makes the mixtures loadable by trainers that take one dataset only. */
export const mixtureCard = (parts: readonly DatasetPart[], layout: LayoutName, content: string, wanted: readonly MixtureName[]): string =>
  `---\n${yamlText(configsYaml(mixtureConfigs(parts, layout, wanted), content))}---\n\nMixtures of the kinds beside this file, for trainers that take one dataset: \`load_dataset("./${layout}", "${mixturesOf(parts, layout, wanted)[0]?.name}")\`.\nColumns: schema.json. What is trained, and by whom: ${layouts[layout].loss}\nSee the README.md above.\n`;
