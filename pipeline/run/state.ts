import type { ShardManifest } from "../../schemas/manifest.ts";
import { type Settled, stepKey } from "../keys.ts";
import { outlineOf, type RowStepName, type StepInfo, stepNamed, stepTable, writerOf } from "../plan.ts";
import { readManifest, rowsAreThere } from "../store/manifests.ts";
import type { RunFolder } from "../store/run-folder.ts";

/** Why a shard is not done. */
export type Lack =
  | { readonly kind: "missing" }
  | { readonly kind: "key"; readonly oldKey: string }
  | { readonly kind: "inputs"; readonly parts: readonly string[] }
  | { readonly kind: "failures"; readonly count: number }
  | { readonly kind: "rows-gone" };

export interface ShardState {
  readonly shard: number;
  readonly manifest: ShardManifest | null;
  /** null: done. */
  readonly lack: Lack | null;
}

/** The parts a row step reads, required first. */
export const partsRead = (name: RowStepName) => [...outlineOf(name).reads, ...outlineOf(name).readsIfKept];

/** Steps that a step rests on, directly or through others. */
export function restsOn(info: StepInfo): StepInfo[] {
  if (info.name === "generate") return [];
  if (info.name === "export" || info.name === "select") return stepTable.slice(0, stepTable.indexOf(info));
  const direct = partsRead(info.name as RowStepName).map(writerOf);
  return [...new Set(direct.flatMap((below) => [...restsOn(below), below]))];
}

async function inputDigests(run: RunFolder, name: RowStepName, shard: number): Promise<Record<string, string | null>> {
  const digests: Record<string, string | null> = {};
  for (const part of partsRead(name)) digests[part] = (await readManifest(run, writerOf(part).step, shard))?.output.content ?? null;
  return digests;
}

/**
 * Is the shard of this step done? Digests decide, never times: the manifest must carry today's key, rest on today's inputs, have no
 * failed records, and its rows must be there. Whether the inputs themselves are fresh is their step's question.
 */
export async function shardState(run: RunFolder, name: RowStepName, shard: number, stageKey: string): Promise<ShardState> {
  const { step } = stepNamed(name);
  const manifest = await readManifest(run, step, shard);
  if (manifest === null) return { shard, manifest, lack: { kind: "missing" } };
  const lack = async (): Promise<Lack | null> => {
    if (manifest.stageKey !== stageKey) return { kind: "key", oldKey: manifest.stageKey };
    const inputs = await inputDigests(run, name, shard);
    const changed = Object.keys(inputs).filter((part) => inputs[part] !== manifest.inputs[part]);
    if (changed.length > 0) return { kind: "inputs", parts: changed };
    if (manifest.tallies.failed > 0) return { kind: "failures", count: manifest.tallies.failed };
    return (await rowsAreThere(run, step, manifest)) ? null : { kind: "rows-gone" };
  };
  return { shard, manifest, lack: await lack() };
}

export async function stepStates(run: RunFolder, name: RowStepName, settled: Settled): Promise<ShardState[]> {
  const { stageKey } = stepKey(name, settled);
  const states: ShardState[] = [];
  for (let shard = 0; shard < run.shards; shard += 1) states.push(await shardState(run, name, shard, stageKey));
  return states;
}
