import { z } from "zod";
import type { Memory, Workspace } from "../../schemas/sidecars.ts";
import { ok, type Stage } from "../stage.ts";

/**
 * Cuts a run of `steps` steps into segments, one more than there are blocks, and one condensation per block. Blocks come in order of
 * `cut`; every step is the target of exactly one segment, folds tile [0, last keptFrom). Source: DESIGN 5, CAT 2.4 (4).
 */
export function cutSegments(steps: number, { blocks }: Memory): Workspace {
  const segments = [...blocks, null].map((closing, index) => {
    const opening = blocks[index - 1];
    const start = opening?.cut ?? 0;
    return {
      opens: opening === undefined ? null : index - 1,
      recent: opening !== undefined && opening.keptFrom < start ? { start: opening.keptFrom, end: start } : null,
      target: { start, end: closing?.cut ?? steps },
      closes: closing === null ? null : index,
    };
  });
  const condensations = blocks.map((block, index) => ({
    opens: index === 0 ? null : index - 1,
    folds: { start: blocks[index - 1]?.keptFrom ?? 0, end: block.keptFrom },
    recent: block.keptFrom < block.cut ? { start: block.keptFrom, end: block.cut } : null,
    target: index,
  }));
  return { segments, condensations };
}

/** Stage 4: pointers only, so it costs nothing and changes no text. */
export const stitch: Stage<"trajectory" | "memory", never, "workspace", Record<string, never>> = {
  name: "stitch",
  version: 1,
  reads: ["trajectory", "memory"],
  readsIfKept: [],
  writes: "workspace",
  params: z.strictObject({}),
  run: async ({ trajectory, memory }) => ok(cutSegments(trajectory.steps.length, memory)),
};
