import { mkdir, readFile, rename, rm } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { ExportManifest } from "../../schemas/manifest.ts";
import type { ExportParams } from "../../stages/export/params.ts";
import type { RenderChat } from "../adapters/chat-renderer.ts";
import { openTokenizer } from "../adapters/model-tokenizer.ts";
import type { ExportBundle, ExportSummary } from "../export/export-dataset.ts";
import { type EarlierExport, readParts, writeParts } from "../export/reuse.ts";
import { stepKey } from "../keys.ts";
import { stepNamed, stepVersions } from "../plan.ts";
import { ownSecrets } from "../secrets/own.ts";
import { syncFolder, temporaryName, writeTextAtomically } from "../store/atomic.ts";
import { crashPoint } from "../store/crash-point.ts";
import { readManifests, writeKeyMaterial } from "../store/manifests.ts";
import {
  defaultVerdict,
  exportFolder,
  exportManifestPath,
  exportPartsPath,
  type RunFolder,
  verdictName,
  verdictNames,
  withVerdict,
} from "../store/run-folder.ts";
import { sealed } from "../store/seal.ts";
import { catgenVersion } from "../version.ts";
import { auditRequest } from "./audit.ts";
import { readFreshBundles } from "./bundles.ts";
import type { RunContext, StepSummary } from "./context.ts";
import { exportInputs, exportState } from "./export-state.ts";
import { notFresh, requireAllFresh } from "./fresh-inputs.ts";
import { funnelOf, keptKey } from "./kept.ts";
import { selectStates } from "./select-state.ts";
import { spentBy } from "./spent.ts";

const { step } = stepNamed("export");

async function* exportBundles(context: RunContext): AsyncGenerator<ExportBundle> {
  for await (const bundle of readFreshBundles(context, ["trajectory", "memory", "workspace", "metrics", "verdict", "selection"])) {
    const value = <T>(row: { outcome: { ok: true; value: T } | { ok: false } } | null): T | null =>
      row?.outcome.ok === true ? row.outcome.value : null;
    const trajectory = value(bundle.trajectory);
    const metrics = value(bundle.metrics);
    const verdict = value(bundle.verdict);
    if (trajectory === null || metrics === null || verdict === null) continue; // failed records have no rows; their manifests say so
    yield {
      trajectory,
      memory: value(bundle.memory),
      workspace: value(bundle.workspace),
      metrics,
      verdict,
      leftOut: value(bundle.selection)?.leftOut ?? null,
    };
  }
}

/** Puts the finished folder in place of the old one. Whoever looks in between finds the old manifest with files missing, and runs again. */
async function swap(made: string, place: string): Promise<void> {
  const old = temporaryName(place);
  await rename(place, old).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
  });
  crashPoint("export-moved-away");
  await rename(made, place);
  crashPoint("export-placed");
  await syncFolder(join(place, ".."));
  await rm(old, { recursive: true, force: true });
}

/** A template may refuse what it does not like by an error of its own; that is a fact about the sample. */
const orNothing =
  (render: RenderChat) =>
  (messages: Parameters<RenderChat>[0]): string | null => {
    try {
      return render(messages);
    } catch {
      return null;
    }
  };

export interface ExportDone {
  readonly summary: StepSummary;
  readonly dataset: ExportSummary | null;
}

/** This verdict set's own last export, then those of the others: a part that was made of the same samples need not be written again. */
async function earlierExports(run: RunFolder): Promise<EarlierExport[]> {
  const names = [verdictName(run), defaultVerdict, ...(await verdictNames(run))];
  const sets = [...new Set(names)].map((name) => withVerdict(run, name));
  return Promise.all(sets.map((set) => readParts(exportPartsPath(set), exportFolder(set))));
}

/** Stage 6: the dataset, as a whole; nothing is done when rows and parameters are those it was made from. */
export async function runExport(context: RunContext): Promise<ExportDone> {
  const { run, settled, ports, progress, signal } = context;
  await requireAllFresh(context, "export");
  const unselected = (await selectStates(run, settled)).find(({ lack }) => lack !== null);
  if (unselected !== undefined) throw notFresh(run, "export", "5-select", unselected);
  const { stageKey, material, params } = stepKey("export", settled);
  if ((await exportState(run, settled)).lack === null)
    return { summary: { step, shardsMade: 0, shardsKept: 1, rowsMade: 0, rowsReused: 0, failures: [] }, dataset: null };
  const { exportDataset } = await import("../export/export-dataset.ts"); // with Parquet and all layouts; not where nothing is to be done
  const started = new Date().toISOString();
  const inputs = Object.fromEntries(Object.entries(await exportInputs(run, settled)).map(([part, digest]) => [part, digest ?? ""]));
  const manifests = await readManifests(run, "1-generate");
  const records = manifests.reduce((sum, manifest) => sum + (manifest?.output.rows ?? 0), 0);
  const key = await keptKey(run, material, inputs);
  await writeKeyMaterial(run, step, stageKey, material);
  const tokenizer = await openTokenizer(settled.tokenizer);
  const folder = temporaryName(exportFolder(run));
  await mkdir(folder, { recursive: true });
  progress.start(step, records);
  try {
    const dataset = await exportDataset({
      bundles: () => exportBundles(context),
      params: params as ExportParams,
      ports: {
        ...ports,
        encode: tokenizer.encode,
        ...(tokenizer.renderChat === null ? {} : { renderChat: orNothing(tokenizer.renderChat) }),
        own: ownSecrets(settled.endpoint.apiKey),
      },
      folder,
      template: await tokenizer.template(),
      ...(settled.tokenizer.local === null ? {} : { tokenizer: settled.tokenizer.name }),
      made: { version: catgenVersion(), steps: stepVersions, tokenizer: settled.tokenizer.digest },
      spent: await spentBy(run),
      earlier: await earlierExports(run),
      audit: auditRequest(context, key, inputs["detection"] ?? ""),
      kept: { key, funnel: () => funnelOf(run) },
      signal,
      progress: () => progress.step(),
    });
    await writeParts(exportPartsPath(run), dataset.whole, dataset.parts); // names files by digest, so that none but its own is ever taken for one
    for (const line of dataset.training) progress.say(line);
    crashPoint("export-written");
    await rm(exportManifestPath(run), { force: true });
    crashPoint("export-forgotten");
    await swap(folder, exportFolder(run));
    const manifest: ExportManifest = {
      format: "catgen.export/1",
      stageKey,
      inputs,
      files: [...dataset.files],
      tallies: dataset.tallies,
      host: hostname(),
      pid: process.pid,
      started,
      ended: new Date().toISOString(),
    };
    await writeTextAtomically(exportManifestPath(run), sealed(ExportManifest.parse(manifest), 1));
    return {
      summary: { step, shardsMade: 1, shardsKept: 0, rowsMade: dataset.tallies.out, rowsReused: dataset.samplesReused, failures: [] },
      dataset,
    };
  } finally {
    progress.end();
    await rm(folder, { recursive: true, force: true });
  }
}

/** The statistics that lie beside the dataset; null before stage 6. */
export async function exportedStats(run: RunFolder): Promise<string | null> {
  return readFile(join(exportFolder(run), "stats.json"), "utf8").catch(() => null);
}
