/**
 * Speed and memory of import, per dialect, over real trajectories where they are at hand and the test fixtures where not:
 *
 *     npx tsx test/bench/import.bench.ts [folder] [megabytes per dialect]
 *
 * Each dialect is read in a process of its own, again and again until enough megabytes went through. Beside it: `JSON.parse` of the same
 * bytes, which nothing that reads JSON can beat, and Python's `json.loads`.
 */
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { type InputUnit, planInputs } from "../../pipeline/import/plan.ts";
import { type ReadOptions, readUnit } from "../../pipeline/import/read.ts";
import { costOf, fixed, guard, machine, median, print, python, pythonScript, repository } from "./lib.ts";

const real = resolve(repository, "../shared/trajectories");
const folder = resolve(process.argv[2] || (existsSync(real) ? real : join(repository, "test/fixtures/dialects")));
const megabytes = Number(process.argv[3] ?? 40);
const rounds = 5;
const options: ReadOptions = { source: null, licence: null, maxRecordBytes: 256e6 };

const bytesOf = (unit: InputUnit): number => unit.files.reduce((sum, file) => sum + file.bytes, 0);

async function dialectOf(unit: InputUnit): Promise<string | null> {
  for await (const event of readUnit(unit, options)) if (event.kind === "run") return event.trajectory.origin.dialect;
  return null;
}

interface Figures {
  readonly ours: number;
  readonly parse: number;
  readonly peakMegabytes: number;
}

/** In the child: MB/s of both ways, alternating, and the resident memory of the process at its largest. */
async function measure(dialect: string): Promise<Figures> {
  const units: InputUnit[] = [];
  for (const unit of await planInputs([folder])) if ((await dialectOf(unit)) === dialect) units.push(unit);
  const bytes = units.reduce((sum, unit) => sum + bytesOf(unit), 0);
  const passes = Math.max(1, Math.ceil((megabytes * 1e6) / bytes / rounds));
  const rate = async (work: (unit: InputUnit) => Promise<void>): Promise<number> => {
    const start = performance.now();
    for (let pass = 0; pass < passes; pass += 1) for (const unit of units) await work(unit);
    return (bytes * passes) / 1e3 / (performance.now() - start);
  };
  const ours: number[] = [];
  const parse: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    ours.push(
      await rate(async (unit) => {
        for await (const event of readUnit(unit, options)) if (event.kind === "quarantined") throw new Error(event.why);
      }),
    );
    parse.push(
      await rate(async (unit) => {
        for (const { path } of unit.files) {
          const text = (await readFile(path)).toString("utf8");
          if (/\.jsonl$/.test(path)) for (const line of text.split("\n")) line.trim() !== "" && JSON.parse(line);
          else if (/\.(?:json|traj)$/.test(path)) JSON.parse(text);
        }
      }),
    );
  }
  return { ours: median(ours), parse: median(parse), peakMegabytes: process.resourceUsage().maxRSS / 1024 };
}

/** The same bytes as JSON lines for Python. */
async function pythonRate(files: readonly string[], place: string): Promise<number> {
  if (python === null) return Number.NaN;
  const lines: string[] = [];
  for (const path of files) {
    const text = await readFile(path, "utf8");
    if (/\.jsonl$/.test(path)) lines.push(...text.split("\n").filter((line) => line.trim() !== ""));
    else if (/\.(?:json|traj)$/.test(path)) lines.push(JSON.stringify(JSON.parse(text)));
  }
  const once = `${lines.join("\n")}\n`;
  const text = once.repeat(Math.max(1, Math.ceil((megabytes * 1e6) / Buffer.byteLength(once))));
  await writeFile(place, text);
  const seconds: number[] = [];
  for (let round = 0; round < rounds; round += 1) seconds.push((await costOf([python, pythonScript("read_json"), place])).seconds);
  return Buffer.byteLength(text) / 1e6 / median(seconds);
}

if (process.argv[4] !== undefined) console.log(JSON.stringify(await measure(process.argv[4])));
else {
  const units = new Map<string, InputUnit[]>();
  for (const unit of await planInputs([folder])) {
    const dialect = await dialectOf(unit);
    if (dialect !== null) units.set(dialect, [...(units.get(dialect) ?? []), unit]);
  }
  console.log(
    `${machine()}\nimport from ${folder.startsWith(repository) ? "the test fixtures" : "real trajectories"}, one thread, median of ${rounds}\n`,
  );
  const place = await mkdtemp(join(tmpdir(), "catgen-bench-"));
  const ratios: number[] = [];
  const rows: string[][] = [];
  try {
    for (const [dialect, own] of [...units].sort(([a], [b]) => (a < b ? -1 : 1))) {
      const child = await costOf([process.execPath, "--import", "tsx", import.meta.filename, folder, String(megabytes), dialect]);
      const { ours, parse, peakMegabytes } = JSON.parse(child.stdout) as Figures;
      const theirs = await pythonRate(
        own.flatMap((unit) => unit.files.map((file) => file.path)),
        join(place, "lines.jsonl"),
      );
      ratios.push(ours / parse);
      const size = own.reduce((sum, unit) => sum + bytesOf(unit), 0) / 1e6;
      rows.push([dialect, fixed(size), fixed(ours), fixed(parse), fixed(theirs), fixed(ours / parse, 2), fixed(peakMegabytes, 0)]);
    }
  } finally {
    await rm(place, { recursive: true, force: true });
  }
  print(["dialect", "MB of files", "import MB/s", "JSON.parse MB/s", "python json.loads MB/s", "of JSON.parse", "peak MB"], rows);
  console.log();
  guard("import against JSON.parse alone, median over the dialects", median(ratios), 0.15);
}
