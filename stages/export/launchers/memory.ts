import type { ModelShape, TrainingRecipe } from "../../../schemas/recipe/training.ts";
import { countParameters } from "./model-shapes.ts";

/** How a trainer spreads a run over the GPUs. */
export interface Spread {
  /** GPUs that share one sequence. */
  readonly contextParallel: number;
  /** GPUs that share weights, gradients and optimizer states; 1: each has its own. */
  readonly shards: number;
  /** Saved layer inputs wait in the host's memory. */
  readonly offloadCheckpoints: boolean;
}

export interface MemoryTerm {
  readonly name: string;
  /** With the numbers filled in. */
  readonly formula: string;
  readonly gigabytes: number;
}

export interface MemoryEstimate {
  readonly terms: readonly MemoryTerm[];
  /** Per GPU, GB of 10^9 bytes. */
  readonly gigabytes: number;
  /** Saved layer inputs of one host's GPUs in its main memory; 0 where they stay on the GPU. */
  readonly hostGigabytes: number;
}

/** Share of a GPU's memory that a run may plan with; the rest is fragmentation and what differs from sample to sample. Our choice. */
export const plannedShare = 0.9;

/** AdamW with bf16 weights and gradients and fp32 weights, momentum and variance: 2 + 2 + 12. Source: ZeRO, arXiv 1910.02054, section 3.1. */
const adamBytes = 16;
/** nf4 with double quantisation: 4 + 0.127 bits. Source: QLoRA, arXiv 2305.14314, section 3. */
const nf4Bytes = (4 + 0.127) / 8;
/** Tensors of the MLP's inner size that live at once while a layer is computed again (gate, up, their product, a gradient), bf16. Source: 14.5 GB for 32B at 65,536 tokens. */
const mlpTensors = 4;
/** CUDA context, NCCL's buffers, kernels' work space. Our estimate. */
const fixedGigabytes = 3;

const billions = (count: number): string => (count / 1e9).toFixed(2);
const term = (name: string, formula: string, bytes: number): MemoryTerm => ({ name, formula, gigabytes: bytes / 1e9 });

function weightTerms({ method, loraRank }: TrainingRecipe, shape: ModelShape, { shards }: Spread): MemoryTerm[] {
  const { all, layer, embeddings, adapterPerRank } = countParameters(shape);
  const adapters = adapterPerRank * loraRank;
  const adapterTerm = term(
    "adapters with optimizer states",
    `${adamBytes} B x ${billions(adapters)} B params / ${shards}`,
    (adamBytes * adapters) / shards,
  );
  const gathered =
    shards === 1
      ? []
      : [
          term(
            "gathered layers and embeddings",
            `2 B x (2 x ${billions(layer)} + ${billions(embeddings)}) B params`,
            2 * (2 * layer + embeddings),
          ),
        ];
  if (method === "full")
    return [
      term(
        "weights, gradients, optimizer states",
        `${adamBytes} B x ${billions(all)} B params / ${shards} GPUs`,
        (adamBytes * all) / shards,
      ),
      ...gathered,
    ];
  if (method === "lora")
    return [term("frozen weights", `2 B x ${billions(all)} B params / ${shards} GPUs`, (2 * all) / shards), adapterTerm, ...gathered];
  const bytes = nf4Bytes * (all - embeddings) + 2 * embeddings;
  const formula = `${nf4Bytes.toFixed(3)} B x ${billions(all - embeddings)} + 2 B x ${billions(embeddings)} (embeddings) B params`;
  return [term("frozen weights, nf4", formula, bytes), adapterTerm, ...gathered];
}

/**
 * Memory of one GPU at one sequence of `window` tokens: arithmetic after `trainers.md` 3.2, not a measurement. Logits are no term: every
 * config that is written computes the loss in chunks or fused with the output layer.
 */
export function estimateMemory(training: TrainingRecipe, shape: ModelShape, window: number, spread: Spread): MemoryEstimate {
  const { contextParallel, offloadCheckpoints } = spread;
  const perToken = (bytes: number): number => (bytes * window) / contextParallel;
  const checkpoints = perToken(2 * shape.layers * shape.hidden);
  const terms = [
    ...weightTerms(training, shape, spread),
    offloadCheckpoints
      ? term("saved layer inputs", "in the host's memory", 0)
      : term("saved layer inputs", `2 B x ${shape.layers} layers x ${shape.hidden} x ${window} tokens / ${contextParallel}`, checkpoints),
    term(
      "one layer computed again",
      `2 B x ${mlpTensors} x ${shape.intermediate} x ${window} tokens / ${contextParallel}`,
      perToken(2 * mlpTensors * shape.intermediate),
    ),
    term("CUDA, NCCL", "fixed", fixedGigabytes * 1e9),
  ];
  return {
    terms,
    gigabytes: terms.reduce((sum, { gigabytes }) => sum + gigabytes, 0),
    hostGigabytes: offloadCheckpoints ? (checkpoints * training.gpusPerNode) / 1e9 : 0,
  };
}
