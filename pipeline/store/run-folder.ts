import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Fault } from "../../schemas/fault.ts";
import { RunFile } from "../../schemas/manifest.ts";
import { writeTextAtomically } from "./atomic.ts";

/** Where things lie in `<runs>/<name>/` (DESIGN 3). */
export interface RunFolder {
  readonly name: string;
  readonly root: string;
  readonly shards: number;
}

export const shardName = (shard: number): string => String(shard).padStart(5, "0");

export const stageFolder = (run: RunFolder, step: string): string => join(run.root, "stages", step);
export const rowsFolder = (run: RunFolder, step: string): string => join(stageFolder(run, step), "rows");
export const manifestPath = (run: RunFolder, step: string, shard: number): string =>
  join(stageFolder(run, step), "manifests", `${shardName(shard)}.json`);
export const journalFolder = (run: RunFolder, step: string): string => join(stageFolder(run, step), "journal");
export const quarantinePath = (run: RunFolder, step: string, shard: number): string =>
  join(stageFolder(run, step), "quarantine", `${shardName(shard)}.jsonl`);
export const keyPath = (run: RunFolder, step: string, stageKey: string): string =>
  join(stageFolder(run, step), "keys", `${stageKey.slice(0, 12)}.json`);
export const inputsPath = (run: RunFolder): string => join(stageFolder(run, "1-generate"), "inputs.json");
export const recipePath = (run: RunFolder): string => join(run.root, "recipe.yaml");
export const ledgerFolder = (run: RunFolder): string => join(run.root, "ledger");
export const exportFolder = (run: RunFolder): string => join(run.root, "export");
export const exportManifestPath = (run: RunFolder): string => join(stageFolder(run, "6-export"), "manifests", "export.json");

const absent = (error: unknown): boolean =>
  (error as NodeJS.ErrnoException).code === "ENOENT" || (error as NodeJS.ErrnoException).code === "ENOTDIR";

/** The text of a file, or null when there is none. */
export async function readTextIfThere(path: string): Promise<string | null> {
  return readFile(path, "utf8").catch((error: unknown) => {
    if (absent(error)) return null;
    throw error;
  });
}

const nameRule = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;

function checkName(name: string): void {
  if (!nameRule.test(name))
    throw new Fault(
      "USAGE",
      "stop",
      `expected a run name of letters, digits, '.', '_' and '-', got ${JSON.stringify(name)}; give another --run`,
    );
}

/** An existing run, or null. */
export async function findRun(runs: string, name: string): Promise<RunFolder | null> {
  checkName(name);
  const root = join(runs, name);
  const text = await readTextIfThere(join(root, "run.json"));
  if (text === null) return null;
  const parsed = RunFile.safeParse(JSON.parse(text));
  if (!parsed.success)
    throw new Fault(
      "RUN_MISMATCH",
      "stop",
      `${join(root, "run.json")} is not a run file of this version; use another --run, or remove the folder`,
    );
  return { name, root, shards: parsed.data.shards };
}

/** An existing run, or a fault that says how to make one. */
export async function openRun(runs: string, name: string): Promise<RunFolder> {
  const run = await findRun(runs, name);
  if (run === null)
    throw new Fault(
      "RUN_MISSING",
      "stop",
      `there is no run ${JSON.stringify(name)} in ${runs}; make it with: catgen run all --run ${name} --input PATH`,
    );
  return run;
}

/** Makes a run; the number of shards is fixed from here on. */
export async function createRun(runs: string, name: string, shards: number): Promise<RunFolder> {
  checkName(name);
  const root = join(runs, name);
  const file: RunFile = { format: "catgen.run/1", name, shards, created: new Date().toISOString() };
  await writeTextAtomically(join(root, "run.json"), `${JSON.stringify(file, null, 2)}\n`);
  return { name, root, shards };
}
