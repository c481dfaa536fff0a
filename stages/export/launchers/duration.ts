import type { ModelShape, TrainingRecipe } from "../../../schemas/recipe/training.ts";
import { gpuOf } from "./gpus.ts";
import { countParameters } from "./model-shapes.ts";

/** What is trained on once per epoch. */
export interface Amount {
  readonly samples: number;
  readonly tokens: number;
}

export interface Duration {
  /** Epochs that are trained: the recipe's, or as many as fit the budget. */
  readonly epochs: number;
  readonly steps: number;
  readonly warmupSteps: number;
  /** Over all epochs. */
  readonly tokens: number;
  /** Wall time; null: the model's shape or the GPU's speed is not known. */
  readonly hours: number | null;
  readonly formula: string;
}

const stepsOf = (samples: number, epochs: number, globalBatch: number): number => Math.ceil(Math.ceil(samples / globalBatch) * epochs);

/** FLOPs of one token: 6 per parameter (4 where weights are frozen), and causal attention to half of the mean sample, forward and backward. Source: arXiv 2001.08361, section 2.1. */
function flopsPerToken({ method }: TrainingRecipe, shape: ModelShape, meanTokens: number): { flops: number; formula: string } {
  const parameters = countParameters(shape).all;
  const factor = method === "full" ? 6 : 4;
  const attention = 6 * shape.layers * shape.heads * shape.headSize * meanTokens;
  return {
    flops: factor * parameters + attention,
    formula: `${factor} x ${(parameters / 1e9).toFixed(2)}e9 + 6 x ${shape.layers} layers x ${shape.heads * shape.headSize} x ${Math.round(meanTokens)} tokens per sample`,
  };
}

/** Steps, tokens and hours of a run: arithmetic, with the recipe's `utilisation` as the assumption. Without packing; with it there are fewer steps. */
export function estimateDuration(training: TrainingRecipe, shape: ModelShape | null, { samples, tokens }: Amount): Duration {
  const gpus = training.nodes * training.gpusPerNode;
  const teraflops = gpuOf(training)?.teraflops ?? null;
  const perToken = shape === null ? null : flopsPerToken(training, shape, samples === 0 ? 0 : tokens / samples);
  const epochHours =
    perToken === null || teraflops === null || training.utilisation === 0
      ? null
      : (perToken.flops * tokens) / (gpus * teraflops * 1e12 * training.utilisation) / 3_600;
  const affordable =
    training.maxGpuHours === null || epochHours === null || epochHours === 0
      ? training.epochs
      : Math.floor(training.maxGpuHours / (epochHours * gpus));
  const epochs = Math.min(training.epochs, affordable);
  const steps = stepsOf(samples, epochs, training.globalBatch);
  return {
    epochs,
    steps,
    warmupSteps: Math.ceil(steps * training.warmupRatio),
    tokens: Math.round(tokens * epochs),
    hours: epochHours === null ? null : epochHours * epochs,
    formula:
      perToken === null || teraflops === null
        ? "not estimated: the model's shape or the GPU's speed is not known"
        : `tokens x (${perToken.formula}) FLOP / (${gpus} GPUs x ${teraflops} TFLOP/s x ${training.utilisation} utilisation)`,
  };
}
