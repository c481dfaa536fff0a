import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { Fault } from "../../schemas/fault.ts";
import { RunFile } from "../../schemas/manifest.ts";
import { asIoFault, createOnce } from "./atomic.ts";

/** Where things lie in `<runs>/<name>/` (DESIGN 3). */
export interface RunFolder {
  readonly name: string;
  readonly root: string;
  readonly shards: number;
  /** The verdict set that is meant by judge and export, which lie in folders of their own; null: the one without a name. */
  readonly verdict: string | null;
}

export const shardName = (shard: number): string => String(shard).padStart(5, "0");

/** Steps of which every verdict set has its own. */
const perVerdict: ReadonlySet<string> = new Set(["5-judge", "5-select", "6-export"]);
const suffix = ({ verdict }: RunFolder): string => (verdict === null ? "" : `-${verdict}`);

export const stageFolder = (run: RunFolder, step: string): string =>
  join(run.root, "stages", `${step}${perVerdict.has(step) ? suffix(run) : ""}`);
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
/** The filter recipe of a verdict set. */
export const verdictRecipePath = (run: RunFolder): string => join(stageFolder(run, "5-judge"), "filter.yaml");
export const reportFolder = (run: RunFolder): string => join(run.root, "report");
export const exportFolder = (run: RunFolder): string => join(run.root, `export${suffix(run)}`);
export const exportManifestPath = (run: RunFolder): string => join(stageFolder(run, "6-export"), "manifests", "export.json");
/** What the exported Parquet files were made of. */
export const exportPartsPath = (run: RunFolder): string => join(stageFolder(run, "6-export"), "manifests", "parts.json");

const absent = (error: unknown): boolean =>
  (error as NodeJS.ErrnoException).code === "ENOENT" || (error as NodeJS.ErrnoException).code === "ENOTDIR";

/** What `look` finds, or `otherwise` when there is nothing at `path`. What cannot be looked at is a fault, not an absence. */
async function ifThere<T, N>(path: string, look: (path: string) => Promise<T>, otherwise: N): Promise<T | N> {
  return look(path).catch((error: unknown) => {
    if (absent(error)) return otherwise;
    throw asIoFault(error, `reading ${path}`);
  });
}

/** The text of a file, or null when there is none. */
export const readTextIfThere = (path: string): Promise<string | null> => ifThere(path, (file) => readFile(file, "utf8"), null);

export const isThere = (path: string): Promise<boolean> => ifThere(path, (file) => stat(file).then(() => true), false);

/** Names in a folder, sorted; none when there is no folder. */
export const namesIn = (folder: string): Promise<string[]> => ifThere(folder, async (path) => (await readdir(path)).sort(), []);

const nameRule = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;

function checkName(name: string, option: "run" | "verdict" = "run"): void {
  if (!nameRule.test(name))
    throw new Fault(
      "USAGE",
      "stop",
      `expected a ${option} name of letters, digits, '.', '_' and '-', got ${JSON.stringify(name)}; give another --${option}`,
    );
}

/** The run as one of its verdict sets sees it, there or not; `default` is the set without a name. */
export function withVerdict(run: RunFolder, verdict: string | null): RunFolder {
  if (verdict !== null) checkName(verdict, "verdict");
  return { ...run, verdict: verdict === defaultVerdict ? null : verdict };
}

/** The options that name this run, and its verdict set, on a command line. */
export const runOptions = ({ name, verdict }: RunFolder): string => `--run ${name}${verdict === null ? "" : ` --verdict ${verdict}`}`;

/** How the verdict set without a name is called where a name is needed. */
export const defaultVerdict = "default";
export const verdictName = ({ verdict }: RunFolder): string => verdict ?? defaultVerdict;

/** The named verdict sets of a run, sorted. */
export async function verdictNames(run: RunFolder): Promise<string[]> {
  const names = await namesIn(join(run.root, "stages"));
  return names.flatMap((name) => (name.startsWith("5-judge-") ? [name.slice("5-judge-".length)] : []));
}

/** An existing run, or null. */
export async function findRun(runs: string, name: string): Promise<RunFolder | null> {
  checkName(name);
  const root = join(runs, name);
  const text = await readTextIfThere(join(root, "run.json"));
  if (text === null) return null;
  const parsed = RunFile.safeParse(jsonOf(text));
  if (!parsed.success)
    throw new Fault(
      "RUN_MISMATCH",
      "stop",
      `${join(root, "run.json")} is not a run file of this version; use another --run, or remove the folder`,
    );
  return { name, root, shards: parsed.data.shards, verdict: null };
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

/** The JSON value of a text, or null when it is none: every schema here refuses null. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Makes a run; the number of shards is fixed from here on. Of several that make it at once all get what the first has made. */
export async function createRun(runs: string, name: string, shards: number): Promise<RunFolder> {
  checkName(name);
  const file: RunFile = { format: "catgen.run/1", name, shards, created: new Date().toISOString() };
  await createOnce(join(runs, name, "run.json"), `${JSON.stringify(file, null, 2)}\n`);
  return openRun(runs, name);
}
