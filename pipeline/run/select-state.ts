import { type Settled, stepKey } from "../keys.ts";
import { stepNamed } from "../plan.ts";
import { digestOf } from "../store/digest.ts";
import { readManifest, readManifests, rowsAreThere } from "../store/manifests.ts";
import type { RunFolder } from "../store/run-folder.ts";
import type { Lack, ShardState } from "./state.ts";

const { step } = stepNamed("select");
/** Parts that the set is decided by, each in all of its shards. */
export const selectsFrom = { metrics: "5-measure", verdict: "5-judge" } as const;

/** One digest per part over the rows of all shards; null where a shard is missing. */
export async function setDigests(run: RunFolder): Promise<Record<string, string | null>> {
  const digests: Record<string, string | null> = {};
  for (const [part, from] of Object.entries(selectsFrom)) {
    const manifests = await readManifests(run, from);
    digests[part] = manifests.includes(null) ? null : digestOf(manifests.map((manifest) => manifest?.output.content ?? null));
  }
  return digests;
}

/** Is each shard of the selection there, made by today's rules of today's metrics and verdicts of all shards? */
export async function selectStates(run: RunFolder, settled: Settled): Promise<ShardState[]> {
  const { stageKey } = stepKey("select", settled);
  const digests = await setDigests(run);
  const states: ShardState[] = [];
  for (let shard = 0; shard < run.shards; shard += 1) {
    const manifest = await readManifest(run, step, shard);
    const lack = async (): Promise<Lack | null> => {
      if (manifest === null) return { kind: "missing" };
      if (manifest.stageKey !== stageKey) return { kind: "key", oldKey: manifest.stageKey };
      const changed = Object.keys(digests).filter((part) => digests[part] !== manifest.inputs[part]);
      if (changed.length > 0) return { kind: "inputs", parts: changed };
      return (await rowsAreThere(run, step, manifest)) ? null : { kind: "rows-gone" };
    };
    states.push({ shard, manifest, lack: await lack() });
  }
  return states;
}
