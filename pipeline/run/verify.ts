import { createHash } from "node:crypto";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { parts } from "../../schemas/bundle.ts";
import { Fault } from "../../schemas/fault.ts";
import type { ExportManifest, ShardManifest } from "../../schemas/manifest.ts";
import type { Row } from "../../schemas/row.ts";
import type { Selection } from "../../schemas/selection.ts";
import type { Trajectory } from "../../schemas/trajectory.ts";
import { partsProblem } from "../export/reuse.ts";
import { type StepInfo, stepNamed, stepTable, writerOf } from "../plan.ts";
import { fileDigest } from "../store/lines.ts";
import { readManifest } from "../store/manifests.ts";
import { readRows, shardOf } from "../store/rows.ts";
import { exportFolder, exportPartsPath, inputsPath, manifestPath, type RunFolder } from "../store/run-folder.ts";
import { readExportManifest } from "./export-state.ts";
import { inputsAreDamaged } from "./inputs.ts";
import { revOf, rowKey, trajectoryKey } from "./row-key.ts";

export interface Damage {
  readonly stage: string;
  readonly shard: number | null;
  readonly what: string;
}

export interface Verified {
  readonly files: number;
  readonly rows: number;
  readonly damage: readonly Damage[];
}

/** What a verified shard of a part says: revs by id, and its content digest. */
interface Part {
  readonly revs: ReadonlyMap<string, string>;
  readonly content: string;
}

const trajectoryIn = (row: Row<unknown>, manifest: ShardManifest): Trajectory | null =>
  manifest.stage === "generate" && row.outcome.ok ? (row.outcome.value as Trajectory) : null; // parsed by the reader

/** A trajectory that the set leaves out has a row like any other, and counts as rejected. */
const isLeftOut = (row: Row<unknown>, manifest: ShardManifest): boolean =>
  manifest.stage === "select" && row.outcome.ok && (row.outcome.value as Selection).leftOut !== null; // parsed by the reader

function keyOf(row: Row<unknown>, manifest: ShardManifest): string {
  const trajectory = trajectoryIn(row, manifest);
  if (trajectory === null) return rowKey(manifest.stageKey, row.from);
  return trajectoryKey(manifest.stageKey, row.from, trajectory.outcome.evidence);
}

const idInside = (row: Row<unknown>, manifest: ShardManifest): string => trajectoryIn(row, manifest)?.id ?? row.id;

/** Checks what a row says of itself and of what it rests on. */
function rowProblems(
  row: Row<unknown>,
  shard: number,
  run: RunFolder,
  manifest: ShardManifest,
  upstream: ReadonlyMap<string, Part>,
): string[] {
  const problems: string[] = [];
  if (revOf(row.outcome) !== row.rev) problems.push(`${row.id}: its rev is not the digest of its outcome`);
  else if (keyOf(row, manifest) !== row.key) problems.push(`${row.id}: its key is not that of what made it`);
  if (idInside(row, manifest) !== row.id) problems.push(`${row.id}: holds the trajectory ${idInside(row, manifest)}`);
  if (shardOf(row.id, run.shards) !== shard) problems.push(`${row.id}: belongs to shard ${shardOf(row.id, run.shards)}`);
  for (const [part, rev] of Object.entries(row.from)) {
    const above = upstream.get(part);
    // A shard that rests on older rows of that part is merely stale, and its manifest says so; only a claim to be fresh can be false.
    if (above !== undefined && manifest.inputs[part] === above.content && above.revs.get(row.id) !== rev)
      problems.push(`${row.id}: its manifest says that it rests on the ${part} that is there, and it does not`);
  }
  return problems;
}

interface Tally {
  in: number;
  out: number;
  rejected: number;
}

function tallyProblems(manifest: ShardManifest, found: Tally): string[] {
  const { tallies, output } = manifest;
  const rejected = Object.values(tallies.rejected).reduce((a, b) => a + b, 0);
  const rowless = manifest.stage === "generate" ? rejected : 0; // import keeps rejected input apart: it has no rows
  const problems: string[] = [];
  if (found.in !== output.rows) problems.push(`the manifest says ${output.rows} rows, the file has ${found.in}`);
  if (found.out !== tallies.out) problems.push(`the manifest says ${tallies.out} good rows, the file has ${found.out}`);
  if (found.rejected !== rejected - rowless)
    problems.push(`the manifest says ${rejected - rowless} rejected rows, the file has ${found.rejected}`);
  return problems;
}

interface VerifiedShard {
  readonly rows: number;
  /** null: damaged, so nothing can be held against it. */
  readonly part: Part | null;
  readonly problems: readonly string[];
}

async function verifyShard(
  run: RunFolder,
  info: StepInfo,
  shard: number,
  upstream: ReadonlyMap<string, Part>,
): Promise<VerifiedShard | null> {
  if (info.writes === null) return null;
  const revs = new Map<string, string>();
  const problems: string[] = [];
  const found: Tally = { in: 0, out: 0, rejected: 0 };
  try {
    const manifest = await readManifest(run, info.step, shard);
    if (manifest === null) return null;
    let last = "";
    const content = createHash("sha256");
    for await (const row of readRows(run, info.step, manifest, parts[info.writes])) {
      found.in += 1;
      if (row.outcome.ok && !isLeftOut(row, manifest)) found.out += 1;
      else found.rejected += 1;
      if (row.id <= last) problems.push(`row ${found.in}: ${row.id} does not come after ${last}`);
      last = row.id;
      revs.set(row.id, row.rev);
      content.update(`${row.id} ${row.rev}\n`);
      problems.push(
        ...rowProblems(row, shard, run, manifest, upstream).map((problem) => `${manifest.output.file} row ${found.in}: ${problem}`),
      );
    }
    if (content.digest("hex") !== manifest.output.content) problems.push("the manifest's content digest is not that of its rows");
    problems.push(...tallyProblems(manifest, found));
    return { rows: found.in, part: problems.length === 0 ? { revs, content: manifest.output.content } : null, problems };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { rows: found.in, part: null, problems: [...problems, error.message] };
  }
}

/** The manifest of the dataset; null: there is none, or `problem` says why it cannot be read. */
async function manifestOfExport(run: RunFolder): Promise<{ manifest: ExportManifest | null; problem: string | null }> {
  try {
    return { manifest: await readExportManifest(run), problem: null };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { manifest: null, problem: error.message };
  }
}

/** Once exported, every shard was there. */
async function verifyExport(run: RunFolder): Promise<{ files: number; exported: boolean; damage: Damage[] }> {
  const { manifest, problem } = await manifestOfExport(run);
  const exported = manifest !== null || problem !== null;
  const problems = [problem, await partsProblem(exportPartsPath(run), exported)].filter((what) => what !== null);
  for (const file of manifest?.files ?? []) {
    const path = join(exportFolder(run), file.path);
    const there = await stat(path).catch(() => null);
    if (there === null) problems.push(`${path} is gone`);
    else if ((await fileDigest(path)).sha256 !== file.sha256) problems.push(`${path}: its sha256 is not the one in the manifest`);
  }
  return {
    files: (manifest?.files.length ?? 0) + (exported ? 1 : 0),
    exported,
    damage: problems.map((what) => ({ stage: "6-export", shard: null, what })),
  };
}

/**
 * Reads every stored byte of a run and checks it against manifests, digests, order, tallies and what each row rests on. Of the verdict
 * sets the one that the run is seen as; `own`: that alone, what all sets share having been checked before.
 */
export async function verifyRun(run: RunFolder, progress: (shard: number) => void, own = false): Promise<Verified> {
  const damage: Damage[] = [];
  let files = 0;
  let rows = 0;
  const steps = own ? [stepNamed("measure"), stepNamed("judge"), stepNamed("select")] : stepTable;
  if (!own && (await inputsAreDamaged(run)))
    damage.push({ stage: "1-generate", shard: null, what: `${inputsPath(run)} is no whole account of the input` });
  const exported = await verifyExport(run);
  for (let shard = 0; shard < run.shards; shard += 1) {
    const upstream = new Map<string, Part>();
    let missing: string[] = [];
    const gone = (by: string): void => {
      damage.push(...missing.map((stage) => ({ stage, shard, what: `${manifestPath(run, stage, shard)} is gone, and ${by} rests on it` })));
      missing = [];
    };
    for (const info of steps) {
      if (info.writes === null) continue;
      const checked = await verifyShard(run, info, shard, upstream);
      if (checked === null) {
        missing.push(info.step); // not made yet, unless a later step was
        continue;
      }
      if (checked.part !== null) upstream.set(info.writes, checked.part);
      if (own && info.name === "measure") continue;
      gone(info.step);
      files += 1;
      rows += checked.rows;
      damage.push(...checked.problems.map((what) => ({ stage: writerOf(info.writes).step, shard, what })));
    }
    if (exported.exported) gone("6-export");
    progress(shard);
  }
  return { files: files + exported.files, rows, damage: [...damage, ...exported.damage] };
}
