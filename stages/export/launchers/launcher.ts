import type { ChatFormat } from "../../../schemas/chat-format.ts";
import { Fault } from "../../../schemas/fault.ts";
import type { TrainingRecipe } from "../../../schemas/recipe/export.ts";
import type { DatasetPart } from "../dataset-parts.ts";

/** What is to be trained, on what. Paths in the files are relative to the dataset's top folder, from which everything is started. */
export interface LaunchPlan {
  /** Name of the dataset. */
  readonly dataset: string;
  readonly training: TrainingRecipe;
  readonly windowTokens: number;
  readonly seed: number;
  readonly parts: readonly DatasetPart[];
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

/** Files that one trainer consumes as they are. */
export interface Launcher {
  files(plan: LaunchPlan): readonly LaunchFile[];
}

/** Where `launch/prepare-model.py` puts the model with its stretched positions. */
export const modelFolder = "./model";

/** How many replicas see different samples at once. */
export const dataParallel = ({ nodes, gpusPerNode, contextParallel }: TrainingRecipe): number => (nodes * gpusPerNode) / contextParallel;

const multiples = (unit: number, near: number): string => {
  const below = Math.floor(near / unit) * unit;
  return below === 0 ? String(unit) : `${below} or ${below + unit}`;
};

/** Sequences a replica gathers before an optimizer step, one sequence at a time, so that a step sees `globalBatch` of them. */
export function gradientAccumulation(training: TrainingRecipe): number {
  const { globalBatch, nodes, gpusPerNode, contextParallel } = training;
  const gpus = nodes * gpusPerNode;
  if (gpus % contextParallel !== 0) {
    const fitting = Array.from({ length: gpus }, (_, index) => index + 1).filter((size) => gpus % size === 0);
    const message = `expected export.training.contextParallel to divide ${gpus} GPUs (${nodes} nodes x ${gpusPerNode}), got ${contextParallel}; set it to one of ${fitting.join(", ")}`;
    throw new Fault("RECIPE_INVALID", "stop", message);
  }
  const replicas = dataParallel(training);
  if (globalBatch % replicas !== 0) {
    const message = `expected export.training.globalBatch to be a multiple of ${replicas} replicas (${gpus} GPUs / contextParallel ${contextParallel}), got ${globalBatch}; set it to ${multiples(replicas, globalBatch)}`;
    throw new Fault("RECIPE_INVALID", "stop", message);
  }
  return globalBatch / replicas;
}
