import { blockMeasures } from "./block-measures.ts";
import type { Measure } from "./measure.ts";
import { sampleMeasures } from "./sample-measures.ts";
import { setMeasures } from "./set-measures.ts";
import { trajectoryMeasures } from "./trajectory-measures.ts";

/** All measures, by what they look at. Each registry has exactly one measure per field of its metrics; the types see to that. */
export const measures = { trajectory: trajectoryMeasures, blocks: blockMeasures, samples: sampleMeasures, set: setMeasures } as const;

/** Applies a registry. */
export function applyMeasures<S, M extends object>(registry: { readonly [K in keyof M]: Measure<S, M[K]> }, seen: S): M {
  const metrics: Partial<M> = {};
  for (const name of Object.keys(registry) as (keyof M)[]) metrics[name] = registry[name](seen);
  return metrics as M;
}
