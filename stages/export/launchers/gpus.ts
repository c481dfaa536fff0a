import type { TrainingRecipe } from "../../../schemas/recipe/training.ts";

export interface Gpu {
  readonly memoryGigabytes: number;
  /** Dense bf16 peak, TFLOP/s; null: not known. */
  readonly teraflops: number | null;
}

/** Kinds of GPU by SkyPilot's names; memory and dense bf16 peak (without sparsity) from NVIDIA's data sheets, of the SXM forms where there are several. */
const gpus: Readonly<Record<string, Gpu>> = {
  H100: { memoryGigabytes: 80, teraflops: 989 },
  H200: { memoryGigabytes: 141, teraflops: 989 },
  B200: { memoryGigabytes: 180, teraflops: 2_250 },
  "A100-80GB": { memoryGigabytes: 80, teraflops: 312 },
  A100: { memoryGigabytes: 40, teraflops: 312 },
  L40S: { memoryGigabytes: 48, teraflops: 362 },
  L4: { memoryGigabytes: 24, teraflops: 121 },
  RTX4090: { memoryGigabytes: 24, teraflops: 165 },
};

export const gpuNames = Object.keys(gpus);

/** The recipe's own numbers go first; null: neither it nor the table knows the memory. */
export function gpuOf({ gpu, gpuMemoryGigabytes, gpuTeraflops }: TrainingRecipe): Gpu | null {
  const known = gpus[gpu];
  const memoryGigabytes = gpuMemoryGigabytes ?? known?.memoryGigabytes;
  return memoryGigabytes === undefined ? null : { memoryGigabytes, teraflops: gpuTeraflops ?? known?.teraflops ?? null };
}
