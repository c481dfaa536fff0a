/**
 * Stage 2: signals, placement and its report, in MB of trajectories per second:
 *
 *     npx tsx test/bench/detect.bench.ts [rounds]
 *
 * Over the collection of real runs where it is beside the checkout, and over grown data. One core by calling the stage itself; all
 * cores through the command line, files and threads included, less what a process takes that does nothing. Rates by CPU time hold
 * beside other work, wall clock does not.
 */

import { existsSync } from "node:fs";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { loadTokenizer } from "../../pipeline/adapters/tokenizer.ts";
import { readAllBundles } from "../../pipeline/run/bundles.ts";
import { sha256 } from "../../pipeline/store/digest.ts";
import { openRun } from "../../pipeline/store/run-folder.ts";
import { Recipe } from "../../schemas/recipe.ts";
import type { Trajectory } from "../../schemas/trajectory.ts";
import { detect } from "../../stages/detect/detect.ts";
import { DetectParams } from "../../stages/detect/outline.ts";
import { noEvaluationSets } from "../../stages/lib/contamination/contamination.ts";
import type { Ports } from "../../stages/stage.ts";
import { grow } from "./grow.ts";
import { type Cost, catgen, costOf, fixed, machine, median, print, repository } from "./lib.ts";

const rounds = Number(process.argv[2] ?? 5);
const grownMegabytes = 50;
const cores = availableParallelism();
const real = join(repository, "../shared/trajectories");
const folder = await mkdtemp(join(tmpdir(), "catgen-bench-"));
const runs = join(folder, "runs");

/** Everything renders under `keep`, so that all of the data is worked on. */
const recipe = Recipe.parse({ persona: { name: "keep" } });
const keep = ["--set", "persona.name=keep"];
const params = DetectParams.parse({
  persona: recipe.persona,
  window: recipe.window,
  detect: recipe.detect,
  memory: {
    memoryBaseTokens: recipe.condense.memoryBaseTokens,
    memoryShare: recipe.condense.memoryShare,
    memoryCapTokens: recipe.condense.memoryCapTokens,
  },
});

const tokenizer = loadTokenizer("qwen2.5");
const ports: Ports = {
  complete: () => Promise.reject(new Error("detect asks no model")),
  countTokens: (text) => tokenizer.count(text),
  digest: sha256,
  evaluationSets: async () => noEvaluationSets,
};

interface Data {
  readonly name: string;
  readonly trajectories: readonly Trajectory[];
  /** Of the trajectories as stage 2 reads them: JSON. */
  readonly megabytes: number;
}

async function imported(name: string, input: string): Promise<Data> {
  await catgen(["run", "1", "--run", name, "--runs", runs, "--input", input, ...keep]);
  const trajectories: Trajectory[] = [];
  let bytes = 0;
  for await (const { trajectory } of readAllBundles(await openRun(runs, name), ["trajectory"])) {
    if (trajectory?.outcome.ok !== true) continue;
    trajectories.push(trajectory.outcome.value);
    bytes += Buffer.byteLength(JSON.stringify(trajectory.outcome.value));
  }
  return { name, trajectories, megabytes: bytes / 1e6 };
}

/** CPU seconds of this process: other work on the machine must not look like ours. */
const cpuSeconds = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};

async function oneCore({ trajectories }: Data): Promise<{ seconds: number; points: number; kept: number }> {
  const started = cpuSeconds();
  let points = 0;
  let kept = 0;
  for (const trajectory of trajectories) {
    const outcome = await detect.run({ trajectory }, params, ports);
    if (!outcome.ok) continue;
    kept += 1;
    points += outcome.value.points.length;
  }
  return { seconds: cpuSeconds() - started, points, kept };
}

/** Stage 2 anew, with a job per core. */
async function allCores({ name }: Data, round: number): Promise<Cost> {
  const anew = ["--set", `detect.maxCalls=${1_000 + round}`]; // another key, the same points
  return await catgen(["run", "2", "--run", name, "--runs", runs, "--jobs", String(cores), ...keep, ...anew]);
}

try {
  const nothing = await costOf([process.execPath, join(repository, "pipeline/bin.mjs"), "recipe"]);
  const data: Data[] = [];
  if (existsSync(join(real, "manifest.jsonl"))) data.push(await imported("real", real));
  else console.log(`skipped: the collection of real runs is not at ${real}`);
  const file = join(folder, "grown.jsonl");
  await grow(grownMegabytes, file);
  data.push(await imported("grown", file));
  console.log(`${machine()}\ndetect, median of ${rounds}; ${fixed((await stat(file)).size / 1e6, 0)} MB grown\n`);
  const rows: string[][] = [];
  for (const one of data) {
    await oneCore(one); // a round to get warm
    const seconds: number[] = [];
    const whole: Cost[] = [];
    let last = { points: 0, kept: 0 };
    for (let round = 0; round < rounds; round += 1) {
      const { seconds: spent, ...found } = await oneCore(one);
      seconds.push(spent);
      last = found;
      whole.push(await allCores(one, round));
    }
    const wall = median(whole.map((cost) => cost.seconds)) - nothing.seconds;
    const cpu = median(whole.map((cost) => cost.cpuSeconds)) - nothing.cpuSeconds;
    const figures = [one.megabytes, one.megabytes / median(seconds), one.megabytes / cpu, one.megabytes / wall];
    rows.push([one.name, ...[one.trajectories.length, last.kept, last.points].map(String), ...figures.map((figure) => fixed(figure))]);
  }
  print(
    ["data", "runs", "detected", "points", "MB", "stage alone, MB per CPU s", "command line, MB per CPU s", `MB/s on ${cores} cores`],
    rows,
  );
} finally {
  await rm(folder, { recursive: true, force: true });
}
