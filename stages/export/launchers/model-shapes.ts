import type { ModelShape } from "../../../schemas/recipe/training.ts";

const qwen = { headSize: 128, tiedEmbeddings: false, nativeWindow: 32_768, decoderLayer: "Qwen2DecoderLayer" } as const;

/**
 * Qwen2.5-Coder by size. Sources: Table 1 of arXiv 2409.12186 and each model's config.json; the numbers of parameters that follow from
 * them (0.49, 1.54, 3.09, 7.62, 14.77, 32.76 billion) are those of the model cards. The general Qwen2.5 models have the same shapes.
 */
export const modelShapes: Readonly<Record<string, ModelShape>> = {
  "0.5B": {
    ...qwen,
    layers: 24,
    hidden: 896,
    intermediate: 4_864,
    heads: 14,
    keyValueHeads: 2,
    headSize: 64,
    vocabulary: 151_936,
    tiedEmbeddings: true,
  },
  "1.5B": {
    ...qwen,
    layers: 28,
    hidden: 1_536,
    intermediate: 8_960,
    heads: 12,
    keyValueHeads: 2,
    vocabulary: 151_936,
    tiedEmbeddings: true,
  },
  "3B": {
    ...qwen,
    layers: 36,
    hidden: 2_048,
    intermediate: 11_008,
    heads: 16,
    keyValueHeads: 2,
    vocabulary: 151_936,
    tiedEmbeddings: true,
  },
  "7B": { ...qwen, layers: 28, hidden: 3_584, intermediate: 18_944, heads: 28, keyValueHeads: 4, vocabulary: 152_064 },
  "14B": { ...qwen, layers: 48, hidden: 5_120, intermediate: 13_824, heads: 40, keyValueHeads: 8, vocabulary: 152_064 },
  "32B": { ...qwen, layers: 64, hidden: 5_120, intermediate: 27_648, heads: 40, keyValueHeads: 8, vocabulary: 152_064 },
};

const named = /Qwen2\.5-(?:Coder-)?(\d{1,2}(?:\.5)?B)(?![\w.])/i;

/** By the recipe, else by the model's name (a Hub id or the name of a local folder); null: not known. */
export const shapeOf = (model: string, given: ModelShape | null): ModelShape | null =>
  given ?? modelShapes[(named.exec(model)?.[1] ?? "").toUpperCase()] ?? null;

export interface ParameterCounts {
  readonly all: number;
  /** Of one layer. */
  readonly layer: number;
  /** Input and output embeddings; once where they are tied. */
  readonly embeddings: number;
  /** Adapters of rank 1 on every linear layer but the output; those of rank r are r times as many. */
  readonly adapterPerRank: number;
}

/** Parameters of a Qwen2-like decoder: attention with biases on query, key and value, a gated MLP of three matrices, two norms. */
export function countParameters(shape: ModelShape): ParameterCounts {
  const { layers, hidden, intermediate, vocabulary } = shape;
  const query = shape.heads * shape.headSize;
  const keyValue = shape.keyValueHeads * shape.headSize;
  const layer = 2 * hidden * query + 2 * hidden * keyValue + (query + 2 * keyValue) + 3 * hidden * intermediate + 2 * hidden;
  const embeddings = vocabulary * hidden * (shape.tiedEmbeddings ? 1 : 2);
  const sides = 2 * (hidden + query) + 2 * (hidden + keyValue) + 3 * (hidden + intermediate);
  return { all: layers * layer + hidden + embeddings, layer, embeddings, adapterPerRank: layers * sides };
}
