import type { ChatFormat } from "../../../schemas/chat-format.ts";
import type { MixtureName } from "../../../schemas/recipe/export.ts";
import type { ModelShape, TrainingRecipe, trainerNames } from "../../../schemas/recipe/training.ts";
import type { SampleKind } from "../../../schemas/sample.ts";
import type { DatasetPart, Mixture } from "../dataset-parts.ts";
import type { SplitName } from "../split.ts";
import type { Duration } from "./duration.ts";
import type { MemoryEstimate, Spread } from "./memory.ts";

/** The parts of a dataset that launch files speak of, with what lies in them. */
export interface SizedPart extends DatasetPart {
  /** Of the split `train`. */
  readonly samples: number;
  readonly tokens: number;
  /** Parquet files of each split, from the dataset's top folder. */
  readonly files: Readonly<Partial<Record<SplitName, readonly string[]>>>;
}

/** What is to be trained, on what. Paths in the files are relative to the dataset's top folder, from which everything is started. */
export interface LaunchPlan {
  /** Name of the dataset. */
  readonly dataset: string;
  readonly training: TrainingRecipe;
  readonly windowTokens: number;
  readonly seed: number;
  readonly parts: readonly SizedPart[];
  /** Mixtures to write configs for, the first of them what run.sh takes. */
  readonly mixtures: readonly MixtureName[];
  /** Samples that export refused because they exceed the window, by kind. */
  readonly overLong: Readonly<Partial<Record<SampleKind, number>>>;
  /** The model's own chat template. */
  readonly template: string;
  /** How that template writes flat messages; left out: as Qwen2.5's does. */
  readonly chat?: ChatFormat | undefined;
}

export interface LaunchFile {
  /** From the dataset's top folder, `/`-separated. */
  readonly path: string;
  readonly text: string;
}

/** Layouts that trainers read. Not all of them need be in an export. */
export type TrainerLayout = "messages" | "input-output" | "tokenized" | "turns";

/** One training as one trainer runs it. */
export interface TrainerRun extends Spread {
  readonly training: TrainingRecipe;
  readonly shape: ModelShape | null;
  /** Sequences a replica gathers before an optimizer step, one at a time. */
  readonly accumulation: number;
  /** Replicas that see different samples at once. */
  readonly replicas: number;
  /** Estimate for one GPU; null: the model's shape is not known. */
  readonly memory: MemoryEstimate | null;
}

/** A mixture in the layout that a trainer is to read it from. */
export interface TrainerData {
  readonly layout: TrainerLayout;
  readonly mixture: Mixture;
  readonly duration: Duration;
}

export interface ConfigFile extends LaunchFile {
  readonly data: TrainerData;
}

/** One trainer: what it can do, and the files that it consumes as they are. */
export interface Launcher {
  readonly title: string;
  readonly homepage: string;
  /** What pip installs on a bare machine, in the version that the configs were checked with. */
  readonly packages: readonly string[];
  readonly can: {
    /** Several GPUs share one sequence. */
    readonly contextParallel: boolean;
    readonly qlora: boolean;
    /** Saved layer inputs in the host's memory: never, when the recipe says so, or always. */
    readonly offload: "never" | "by-recipe" | "always";
    readonly packing: "with-context-parallel" | "without-context-parallel";
  };
  /** Layouts from which a sample's own turns are trained exactly once, the best first; and one sentence on each. */
  readonly layouts: Readonly<Partial<Record<TrainerLayout, string>>>;
  /** Whether a mixture in this layout is trained as it is meant; left out: always. */
  reads?(data: TrainerData): boolean;
  /** Why rows in this layout would be read as other text than the model's, and who reads them right; null, or left out: they are not. */
  misreads?(layout: TrainerLayout, chat: LaunchPlan["chat"]): string | null;
  /** One file per mixture and layout. */
  config(plan: LaunchPlan, run: TrainerRun, data: TrainerData): LaunchFile;
  /** What the configs name beside themselves. */
  extras?(plan: LaunchPlan, run: TrainerRun, configs: readonly ConfigFile[]): readonly LaunchFile[];
  /** Bash lines that begin the training on one host; `run.sh` sets and checks CONFIG, NODES, NODE_RANK, GPUS_PER_NODE, HEAD_HOST, HEAD_PORT. */
  start(run: TrainerRun): string;
}

export type LauncherName = (typeof trainerNames)[number];

/** Where `launch/prepare-model.py` puts the model with its stretched positions. */
export const modelFolder = "./model";

export const gpusOf = ({ nodes, gpusPerNode }: TrainingRecipe): number => nodes * gpusPerNode;

export const headline = (plan: LaunchPlan, { layout, mixture }: TrainerData, trainer: string, path: string, folder: string): string[] => [
  `${plan.dataset}: ${mixture.parts.map((part) => part.kind).join(" and ")} samples, layout ${layout}, for ${trainer}.`,
  `From the dataset's folder, after launch/prepare-model.py: CONFIG=${path} bash configs/${folder}/run.sh (on a cluster: launch/)`,
];
export const validationNote = "Validation samples come from repositories that training does not see.";

/** AdamW as Hugging Face's `TrainingArguments` spell it, and whoever hands its keys on to them. */
export const adamKeys = ({ learningRate, weightDecay, adamBeta1, adamBeta2, adamEpsilon, maxGradNorm }: TrainingRecipe) => ({
  learning_rate: learningRate,
  weight_decay: weightDecay,
  adam_beta1: adamBeta1,
  adam_beta2: adamBeta2,
  adam_epsilon: adamEpsilon,
  max_grad_norm: maxGradNorm,
});
