import { stat } from "node:fs/promises";
import { join } from "node:path";
import { Fault } from "../../schemas/fault.ts";
import { ExportManifest } from "../../schemas/manifest.ts";
import { type Settled, stepKey } from "../keys.ts";
import { digestOf } from "../store/digest.ts";
import { readManifests } from "../store/manifests.ts";
import { exportFolder, exportManifestPath, type RunFolder, readTextIfThere, runOptions } from "../store/run-folder.ts";
import { opened } from "../store/seal.ts";
import type { Lack } from "./state.ts";

/** Parts that shape a dataset's samples. Detection is not among them: memories and segments say all that is left of it. */
const partsOf = {
  trajectory: "1-generate",
  memory: "3-condense",
  workspace: "4-stitch",
  metrics: "5-measure",
  verdict: "5-judge",
  selection: "5-select",
} as const;

export async function readExportManifest(run: RunFolder): Promise<ExportManifest | null> {
  const text = await readTextIfThere(exportManifestPath(run));
  if (text === null) return null;
  const parsed = ExportManifest.safeParse(opened(text));
  if (!parsed.success)
    throw new Fault(
      "ROWS_CORRUPT",
      "stop",
      `${exportManifestPath(run)} is no whole export manifest: ${parsed.error.issues[0]?.message}; make the dataset anew with: catgen repair ${runOptions(run)}`,
    );
  return parsed.data;
}

async function filesAreThere(run: RunFolder, manifest: ExportManifest): Promise<boolean> {
  for (const { path, bytes } of manifest.files)
    if ((await stat(join(exportFolder(run), path)).catch(() => null))?.size !== bytes) return false;
  return true;
}

/** One digest per part over the rows of all shards; null where a shard is missing. */
export async function exportInputs(run: RunFolder, { recipe }: Settled): Promise<Record<string, string | null>> {
  const digests: Record<string, string | null> = {};
  const all = recipe.export.audit === "none" ? partsOf : { ...partsOf, detection: "2-detect" }; // the audit holds it
  for (const [part, from] of Object.entries(all)) {
    const manifests = await readManifests(run, from);
    digests[part] = manifests.includes(null) ? null : digestOf(manifests.map((manifest) => manifest?.output.content ?? null));
  }
  return digests;
}

/** Is the dataset there and made of today's rows by today's parameters? */
export async function exportState(run: RunFolder, settled: Settled): Promise<{ manifest: ExportManifest | null; lack: Lack | null }> {
  const manifest = await readExportManifest(run);
  if (manifest === null) return { manifest, lack: { kind: "missing" } };
  if (manifest.stageKey !== stepKey("export", settled).stageKey) return { manifest, lack: { kind: "key", oldKey: manifest.stageKey } };
  const inputs = await exportInputs(run, settled);
  const changed = Object.keys(inputs).filter((part) => inputs[part] !== manifest.inputs[part]);
  if (changed.length > 0) return { manifest, lack: { kind: "inputs", parts: changed } };
  return { manifest, lack: (await filesAreThere(run, manifest)) ? null : { kind: "rows-gone" } };
}
