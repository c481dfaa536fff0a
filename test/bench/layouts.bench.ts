/**
 * Stage 6 in every layout, through the real command line, on grown data whose run is made once up to the verdicts:
 *
 *     npx tsx test/bench/layouts.bench.ts [megabytes] [rounds] [folder]
 *
 * Beside it `datasets` and `transformers` do the same with the same samples, rendered already, of the first megabytes; pyarrow writes the
 * same Parquet again; and a changed threshold is exported anew. `folder`: keeps data and runs, so that the next call begins with them.
 */
import { existsSync, readdirSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { readParquetRows } from "../../pipeline/adapters/parquet-reader.ts";
import { readParts } from "../../pipeline/export/reuse.ts";
import { readAllBundles } from "../../pipeline/run/bundles.ts";
import { exportFolder, exportPartsPath, openRun, type RunFolder, stageFolder } from "../../pipeline/store/run-folder.ts";
import { type LayoutName, layouts } from "../../stages/export/layouts/index.ts";
import { grow, keepCopies } from "./grow.ts";
import { type Cost, catgen, costOf, fixed, guard, machine, median, print, python, pythonScript, vocabulary } from "./lib.ts";

const megabytes = Number(process.argv[2] ?? 30);
const rounds = Number(process.argv[3] ?? 3);
/** Tokens of so much take Python a quarter of a minute, in each layout and round. */
const besideMegabytes = Math.min(megabytes, 10);
const windowTokens = 65_536;
/** CPU of Python against ours. */
const leastTimes = 2;

/** Whatever becomes of a run, it gives samples. */
const keepAll = ["filter.outcome=null", "filter.exits=null", "filter.minContextCalls=null", "export.baseOutcome=null"];
const sets = (values: readonly string[]): string[] => [...keepCopies, ...values.flatMap((value) => ["--set", value])];
const names = Object.keys(layouts) as LayoutName[];
const folder = process.argv[4] ?? (await mkdtemp(join(tmpdir(), "catgen-bench-")));
const runs = join(folder, "runs");

async function judgedRun(size: number): Promise<RunFolder> {
  const name = `grown-${size}`;
  const input = join(folder, `${name}.jsonl`);
  if (!existsSync(input)) await grow(size, input);
  await catgen(["run", "1-5", "--run", name, "--runs", runs, "--input", input, ...sets(keepAll)]);
  return openRun(runs, name);
}

const exported = (run: RunFolder, settings: readonly string[], stages = "export"): Promise<Cost> =>
  catgen(["run", stages, "--run", run.name, "--runs", runs, ...sets([...keepAll, ...settings])]);

async function forgetExport(run: RunFolder): Promise<void> {
  for (const path of [exportFolder(run), stageFolder(run, "6-export")]) await rm(path, { recursive: true, force: true });
}

const onlyLayout = (layout: LayoutName): string[] => [`export.layouts=[${layout}]`, "export.kinds=[segment,base]", "export.audit=none"];

/** From nothing: no file of an earlier export is there to be taken. */
async function layoutCost(run: RunFolder, layout: LayoutName): Promise<Cost> {
  await forgetExport(run);
  return exported(run, onlyLayout(layout));
}

const parquetIn = (place: string): string[] =>
  existsSync(place)
    ? readdirSync(place, { recursive: true, encoding: "utf8" }).flatMap((path) => (path.endsWith(".parquet") ? [join(place, path)] : []))
    : [];

/** Rows and tokens of what lies exported. */
async function contentOf(run: RunFolder): Promise<{ rows: number; tokens: number }> {
  const { parts } = await readParts(exportPartsPath(run), exportFolder(run));
  return {
    rows: parts.reduce((sum, part) => sum + part.rows, 0),
    tokens: parts.reduce((sum, part) => sum + part.tokens, 0),
  };
}

/** The samples that lie exported in a layout, as JSON lines. */
async function samplesOf(run: RunFolder, layout: LayoutName): Promise<string> {
  const path = join(folder, `samples-${layout}.jsonl`);
  let text = "";
  for (const file of parquetIn(join(exportFolder(run), layout)).sort())
    for await (const row of readParquetRows(file)) text += `${JSON.stringify(row)}\n`;
  await writeFile(path, text);
  return path;
}

interface Beside {
  readonly ours: Cost[];
  readonly theirs: Cost[];
}

/** Ours and Python's in turns, over the same samples; both must come to the same rows, and tokens where the text is the same. */
async function besidePython(run: RunFolder): Promise<Map<LayoutName, Beside>> {
  const costs = new Map(names.map((name): [LayoutName, Beside] => [name, { ours: [], theirs: [] }]));
  if (python === null) return costs;
  await forgetExport(run);
  await exported(run, ["export.layouts=[messages,structured]", "export.kinds=[segment,base]", "export.audit=none"]);
  const [flat, said] = [await samplesOf(run, "messages"), await samplesOf(run, "structured")];
  const template = join(folder, "gated.jinja");
  await writeFile(template, await gatedTemplate(run));
  for (let round = 0; round < rounds; round += 1)
    for (const [name, { ours, theirs }] of costs) {
      ours.push(await layoutCost(run, name));
      const cache = join(folder, `cache-${name}-${round}`);
      const input = layouts[name].structured ? said : flat;
      const args = [name, input, dirname(vocabulary()), template, String(windowTokens), cache, join(folder, "theirs.parquet")];
      const cost = await costOf([python, pythonScript("export_layout"), ...args]);
      await rm(cache, { recursive: true });
      theirs.push(cost);
      const [own, other] = [await contentOf(run), JSON.parse(cost.stdout) as { rows: number; tokens: number }];
      if (own.rows !== other.rows || (!layouts[name].structured && own.tokens !== other.tokens))
        throw new Error(`${name}: ${own.rows} rows of ${own.tokens} tokens here, ${other.rows} of ${other.tokens} in Python`);
    }
  return costs;
}

const gatedTemplate = (run: RunFolder): Promise<string> =>
  readFile(join(exportFolder(run), "configs/trl/qwen2_5_train_gated.jinja"), "utf8");

/** Bytes of the files that lie exported in a layout, and of the same written by pyarrow. */
async function pyarrowBytes(run: RunFolder, layout: LayoutName): Promise<{ ours: number; theirs: number } | null> {
  if (python === null) return null;
  const files = parquetIn(join(exportFolder(run), layout)).sort();
  const { stdout } = await costOf([python, pythonScript("rewrite_parquet"), join(folder, "again.parquet"), ...files]);
  return JSON.parse(stdout) as { ours: number; theirs: number };
}

/** Seconds until the first Parquet file of the export in the making is whole; it gets its place when all are. */
async function untilFirstFile(run: RunFolder, work: Promise<Cost>): Promise<{ cost: Cost; firstSeconds: number }> {
  const started = performance.now();
  const old = exportFolder(run);
  let firstSeconds = Number.NaN;
  const look = (): void => {
    const places = readdirSync(run.root).flatMap((name) => (name.startsWith("export") && join(run.root, name) !== old ? [name] : []));
    if (Number.isNaN(firstSeconds) && places.some((name) => parquetIn(join(run.root, name)).length > 0))
      firstSeconds = (performance.now() - started) / 1000;
  };
  const timer = setInterval(look, 20);
  const cost = await work.finally(() => clearInterval(timer));
  return { cost, firstSeconds };
}

/** `filter.maxFoldRatio` that about one trajectory in a hundred does not pass. */
async function foldRatioLimit(run: RunFolder): Promise<number> {
  const highest: number[] = [];
  for await (const { metrics } of readAllBundles(run, ["metrics"])) {
    const blocks = metrics?.outcome.ok === true ? metrics.outcome.value.blocks : [];
    if (blocks.length > 0) highest.push(Math.max(...blocks.map(({ foldRatio }) => foldRatio)));
  }
  const passing = highest.filter((ratio) => ratio <= 0.7).sort((a, b) => a - b); // 0.7: the default
  return passing[Math.min(Math.floor(0.99 * passing.length), passing.length - 2)] ?? 0.7; // one at least
}

interface InLayout {
  readonly cost: Cost;
  readonly rows: number;
  readonly bytes: number;
  readonly size: { readonly ours: number; readonly theirs: number } | null;
}

async function allLayouts(run: RunFolder): Promise<Map<LayoutName, InLayout>> {
  const found = new Map<LayoutName, InLayout>();
  for (const name of names) {
    const costs: Cost[] = [];
    for (let round = 0; round < (megabytes > besideMegabytes ? 1 : rounds); round += 1) costs.push(await layoutCost(run, name));
    const middle = median(costs.map(({ seconds }) => seconds));
    const { parts } = await readParts(exportPartsPath(run), exportFolder(run));
    found.set(name, {
      cost: costs.find(({ seconds }) => seconds === middle) as Cost,
      rows: parts.reduce((sum, part) => sum + part.rows, 0),
      bytes: parts.reduce((sum, part) => sum + part.bytes, 0),
      size: await pyarrowBytes(run, name),
    });
  }
  return found;
}

function printLayouts(found: ReadonlyMap<LayoutName, InLayout>, runsIn: number): void {
  console.log(`${megabytes} MB of grown trajectories (${runsIn} runs), kinds segment and base, exported from nothing, whole processes\n`);
  print(
    ["layout", "s", "MB/s", "CPU s", "peak MB", "rows", "Parquet MB", "by pyarrow"],
    [...found].map(([name, { cost, rows, bytes, size }]) => [
      name,
      fixed(cost.seconds),
      fixed(megabytes / cost.seconds),
      fixed(cost.cpuSeconds),
      fixed(cost.peakMegabytes, 0),
      rows,
      fixed(bytes / 1e6),
      size === null ? "-" : fixed(size.theirs / 1e6),
    ]),
  );
}

function printBeside(costs: ReadonlyMap<LayoutName, Beside>): void {
  const middle = (all: readonly Cost[], value: (cost: Cost) => number): number => median(all.map(value));
  console.log(`\nthe same samples of ${besideMegabytes} MB, median of ${rounds}\n`);
  print(
    ["layout", "catgen s", "CPU s", "peak MB", "datasets + transformers s", "CPU s", "peak MB"],
    [...costs].map(([name, { ours, theirs }]) => [
      name,
      ...[ours, theirs].flatMap((all) => [
        fixed(middle(all, ({ seconds }) => seconds)),
        fixed(middle(all, ({ cpuSeconds }) => cpuSeconds)),
        fixed(Math.max(...all.map(({ peakMegabytes }) => peakMegabytes)), 0),
      ]),
    ]),
  );
  console.log();
  const cpu = (all: readonly Cost[]): number => middle(all, ({ cpuSeconds }) => cpuSeconds);
  for (const [name, { ours, theirs }] of costs)
    guard(`CPU of \`${name}\` against datasets + transformers`, cpu(theirs) / cpu(ours), leastTimes);
}

interface Again {
  readonly what: string;
  readonly cost: Cost;
  readonly firstSeconds: number;
}

/** The default layouts, with the audit: from nothing, after a threshold that few trajectories feel, and after one that none does. */
async function afterThresholds(run: RunFolder): Promise<Again[]> {
  const limit = await foldRatioLimit(run);
  await forgetExport(run);
  const all = { what: "stage 6 from nothing", ...(await untilFirstFile(run, exported(run, []))) };
  const again = async (what: string, ratio: number): Promise<Again> => ({
    what,
    ...(await untilFirstFile(run, exported(run, [`filter.maxFoldRatio=${ratio}`], "5-6"))),
  });
  return [
    all,
    await again("judge, select and export: a threshold that one in a hundred does not pass", limit),
    await again("the same: another threshold that rejects the same ones", limit + 1e-9),
  ];
}

try {
  await mkdir(folder, { recursive: true });
  const run = await judgedRun(megabytes);
  const beside = await besidePython(besideMegabytes === megabytes ? run : await judgedRun(besideMegabytes));
  const found = await allLayouts(run);
  const again = await afterThresholds(run);
  let trajectories = 0;
  for await (const _ of readAllBundles(run, ["verdict"])) trajectories += 1;
  console.log(machine());
  printLayouts(found, trajectories);
  if (python === null) console.log("\npython: not measured; `make bench` sets it up where python3 with venv is found");
  else printBeside(beside);
  console.log();
  print(
    ["a changed threshold, layouts messages and input-output, audit", "s", "CPU s", "first file s"],
    again.map(({ what, cost, firstSeconds }) => [what, fixed(cost.seconds), fixed(cost.cpuSeconds), fixed(firstSeconds)]),
  );
  console.log();
  guard("1 GB against what the largest export holds", 1_000 / Math.max(...[...found.values()].map(({ cost }) => cost.peakMegabytes)), 1);
  for (const [name, { size }] of found)
    if (size !== null) guard(`bytes of \`${name}\` by pyarrow against ours`, size.theirs / size.ours, 0.97);
} finally {
  if (process.argv[4] === undefined) await rm(folder, { recursive: true, force: true });
}
