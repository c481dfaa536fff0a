import type { ShardManifest } from "../../schemas/manifest.ts";
import { type Settled, stepKey } from "../keys.ts";
import { type RowStepName, type StepName, stepNamed } from "../plan.ts";
import { readManifests, rowsAreThere } from "../store/manifests.ts";
import type { RunFolder } from "../store/run-folder.ts";
import { exportState } from "./export-state.ts";
import { selectStates } from "./select-state.ts";
import { type Lack, stepStates } from "./state.ts";

export interface StageShards {
  readonly manifests: readonly (Pick<ShardManifest, "tallies"> | null)[];
  readonly done: number;
  readonly missing: number;
  readonly stale: number;
  /** Why shards are not done, in order of shard; null where done. */
  readonly lacks: readonly (Lack | null)[];
}

const counted = (manifests: StageShards["manifests"], lacks: readonly (Lack | null)[]): StageShards => ({
  manifests,
  lacks,
  done: lacks.filter((lack) => lack === null).length,
  missing: lacks.filter((lack) => lack?.kind === "missing").length,
  stale: lacks.filter((lack) => lack !== null && lack.kind !== "missing").length,
});

async function generateShards(run: RunFolder, settled: Settled): Promise<StageShards> {
  const { step } = stepNamed("generate");
  const { stageKey } = stepKey("generate", settled);
  const manifests = await readManifests(run, step);
  const lacks: (Lack | null)[] = [];
  for (const manifest of manifests) {
    if (manifest === null) lacks.push({ kind: "missing" });
    else if (manifest.stageKey !== stageKey) lacks.push({ kind: "key", oldKey: manifest.stageKey });
    else lacks.push((await rowsAreThere(run, step, manifest)) ? null : { kind: "rows-gone" });
  }
  return counted(manifests, lacks);
}

/** Manifests and freshness of one step. Export is one unit and counts as one shard. */
export async function stageShards(run: RunFolder, name: StepName, settled: Settled): Promise<StageShards> {
  if (name === "generate") return generateShards(run, settled);
  if (name === "export") {
    const { manifest, lack } = await exportState(run, settled);
    return counted([manifest], [lack]);
  }
  const states = name === "select" ? await selectStates(run, settled) : await stepStates(run, name as RowStepName, settled);
  return counted(
    states.map((state) => state.manifest),
    states.map((state) => state.lack),
  );
}
