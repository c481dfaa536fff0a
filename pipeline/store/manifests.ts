import { stat } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { Fault } from "../../schemas/fault.ts";
import { KeyMaterial, ShardManifest } from "../../schemas/manifest.ts";
import { writeTextAtomically } from "./atomic.ts";
import { jsonOf, keyPath, manifestPath, type RunFolder, readTextIfThere, rowsFolder } from "./run-folder.ts";
import { opened, sealed } from "./seal.ts";

/** The shard's manifest, or null. A manifest that cannot be read counts as damage, not as absence. */
export async function readManifest(run: RunFolder, step: string, shard: number): Promise<ShardManifest | null> {
  const path = manifestPath(run, step, shard);
  const text = await readTextIfThere(path);
  if (text === null) return null;
  const parsed = ShardManifest.safeParse(opened(text));
  if (!parsed.success) throw damaged(path, `is no whole shard manifest: ${parsed.error.issues[0]?.message}`);
  const { shard: says, of } = parsed.data;
  if (says !== shard || of !== run.shards)
    throw damaged(path, `speaks of shard ${says} of ${of}, expected shard ${shard} of ${run.shards}`);
  return parsed.data;
}

const damaged = (path: string, what: string): Fault =>
  new Fault("ROWS_CORRUPT", "stop", `${path} ${what}; \`catgen repair\` makes the shard anew`);

/** All manifests of a step, by shard; null where a shard is missing. */
export const readManifests = (run: RunFolder, step: string): Promise<(ShardManifest | null)[]> =>
  Promise.all(Array.from({ length: run.shards }, (_, shard) => readManifest(run, step, shard)));

/** Publishes a manifest; the tallies are checked against the conservation law on the way. */
export async function writeManifest(
  run: RunFolder,
  step: string,
  manifest: Omit<ShardManifest, "format" | "of" | "host" | "pid" | "ended">,
): Promise<ShardManifest> {
  const whole = ShardManifest.parse({
    format: "catgen.manifest/1",
    ...manifest,
    of: run.shards,
    host: hostname(),
    pid: process.pid,
    ended: new Date().toISOString(),
  });
  await writeTextAtomically(manifestPath(run, step, manifest.shard), sealed(whole, 1));
  return whole;
}

/** Does the rows file that the manifest names exist in the size it states? `verify` looks at every byte. */
export async function rowsAreThere(run: RunFolder, step: string, manifest: ShardManifest): Promise<boolean> {
  const found = await stat(join(rowsFolder(run, step), manifest.output.file)).catch(() => null);
  return found?.size === manifest.output.bytes;
}

export async function writeKeyMaterial(run: RunFolder, step: string, stageKey: string, material: KeyMaterial): Promise<void> {
  const path = keyPath(run, step, stageKey);
  if ((await readKeyMaterial(run, step, stageKey)) === null) await writeTextAtomically(path, `${JSON.stringify(material, null, 1)}\n`);
}

export async function readKeyMaterial(run: RunFolder, step: string, stageKey: string): Promise<KeyMaterial | null> {
  const text = await readTextIfThere(keyPath(run, step, stageKey));
  return text === null ? null : (KeyMaterial.safeParse(jsonOf(text)).data ?? null); // damaged: only `why` asks, and says so
}
