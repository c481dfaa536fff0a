/**
 * How fast texts are held against an evaluation set by their words, and beside it the straightforward way in Python (`re`, `hashlib`, a dict):
 *
 *     npx tsx test/bench/contamination.bench.ts [megabytes]
 *
 * The set is the shipped one, SWE-bench Verified. Texts are the task texts of real runs, repeated, where they are at hand, and the sources in
 * `node_modules`. CPU time, one thread. Both must find the same.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { readIndex } from "../../pipeline/contamination/load.ts";
import { planInputs } from "../../pipeline/import/plan.ts";
import { readUnit } from "../../pipeline/import/read.ts";
import { sha256 } from "../../pipeline/store/digest.ts";
import { telltaleShare } from "../../schemas/contamination.ts";
import { closestIn } from "../../stages/lib/contamination/closest.ts";
import { costOf, fixed, guard, machine, median, print, python, pythonScript, repository } from "./lib.ts";

const megabytes = Number(process.argv[2] ?? 8);
const rounds = 5;
const indexPath = join(repository, "data/decontamination/verified-problem-13grams.tsv.gz");

function sources(limit: number): string[] {
  const folder = join(repository, "node_modules/");
  const texts: string[] = [];
  let size = 0;
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" }).sort()) {
    if (size >= limit || !/\.(?:[cm]?[jt]s|md)$/.test(name)) continue;
    const text = readFileSync(join(folder, name), "utf8");
    if (text.length > 1e6) continue;
    size += text.length;
    texts.push(text);
  }
  return texts;
}

async function tasks(limit: number): Promise<string[]> {
  const folder = resolve(repository, "../shared/trajectories");
  const texts: string[] = [];
  for (const unit of existsSync(folder) ? await planInputs([folder]) : [])
    for await (const event of readUnit(unit, { source: null, licence: null, maxRecordBytes: 256e6 }))
      if (event.kind === "run") texts.push(event.trajectory.task.prompt);
  const once = sizeOf(texts);
  return once === 0 ? [] : Array.from({ length: Math.ceil(limit / once) }, () => texts).flat();
}

const sizeOf = (texts: readonly string[]): number => texts.reduce((sum, text) => sum + text.length, 0);

interface Found {
  /** MB per CPU second. */
  readonly rate: number;
  readonly hits: number;
}

const loadingStarted = process.cpuUsage();
const { text: table } = readIndex(indexPath, "verified");
const loading = process.cpuUsage(loadingStarted);

function ours(texts: readonly string[]): Found {
  const rates: number[] = [];
  let hits = 0;
  for (let round = 0; round < rounds; round += 1) {
    hits = 0;
    const before = process.cpuUsage();
    for (const text of texts) if ((closestIn([text], [table], sha256)[0]?.share ?? 0) >= telltaleShare) hits += 1;
    const { user, system } = process.cpuUsage(before);
    rates.push(sizeOf(texts) / (user + system));
  }
  return { rate: median(rates), hits };
}

async function pythons(texts: readonly string[]): Promise<Found | null> {
  if (python === null || texts.length === 0) return null;
  const folder = await mkdtemp(join(tmpdir(), "catgen-bench-"));
  try {
    const path = join(folder, "texts.jsonl");
    await writeFile(path, texts.map((text) => `${JSON.stringify(text)}\n`).join(""));
    const { stdout } = await costOf([python, pythonScript("contamination"), path, indexPath, String(telltaleShare), String(rounds)]);
    const { seconds, hits } = JSON.parse(stdout) as { seconds: number; hits: number };
    return { rate: sizeOf(texts) / 1e6 / seconds, hits };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const kinds = [
  ["task texts", await tasks(megabytes * 1e6)],
  ["sources", sources(megabytes * 1e6)],
] as const;
console.log(
  `${machine()}\n${table.prints} fingerprints of ${readIndex(indexPath, "verified").instances.length} tasks, loaded in ${fixed((loading.user + loading.system) / 1000, 0)} ms of CPU; one thread, median of ${rounds}, MB per CPU second\n`,
);
const rows: (string | number)[][] = [];
const ratios: [string, number][] = [];
for (const [kind, texts] of kinds) {
  if (texts.length === 0) continue;
  const mine = ours(texts);
  const theirs = await pythons(texts);
  rows.push([kind, fixed(sizeOf(texts) / 1e6), fixed(mine.rate), fixed(theirs?.rate ?? Number.NaN), mine.hits]);
  if (theirs !== null) ratios.push([kind, mine.rate / theirs.rate]);
  if (theirs !== null && theirs.hits !== mine.hits) throw new Error(`${kind}: catgen finds ${mine.hits}, Python ${theirs.hits}`);
}
print(["texts", "MB", "catgen", "Python", "hits"], rows);
console.log();
for (const [kind, ratio] of ratios) guard(`matching ${kind} against Python's hashlib and a dict`, ratio, 1);
