import { mkdtemp, rm } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { settleHere } from "../../pipeline/commands/shared.ts";
import { type Settled, stepKey } from "../../pipeline/keys.ts";
import { silentProgress } from "../../pipeline/progress.ts";
import { runShards } from "../../pipeline/run/run-stage.ts";
import { gatherCandidates } from "../../pipeline/run/select.ts";
import { sha256 } from "../../pipeline/store/digest.ts";
import { writeManifest } from "../../pipeline/store/manifests.ts";
import { openRowsWriter, shardOf } from "../../pipeline/store/rows.ts";
import { createRun } from "../../pipeline/store/run-folder.ts";
import type { Metrics } from "../../schemas/metrics.ts";
import { Recipe } from "../../schemas/recipe.ts";
import { judgeMetrics } from "../../stages/filter/judge.ts";
import type { SelectParams } from "../../stages/filter/selection/params.ts";
import { selectSet } from "../../stages/filter/selection/select.ts";
import { checks } from "../../stages/lib/checks/index.ts";
import { noEvaluationSets } from "../../stages/lib/contamination/contamination.ts";
import { drawer } from "../../stages/lib/drawer.ts";
import { uncontaminated } from "../fakes/no-evaluation.ts";
import { plainConduct, plainMemory } from "../fakes/plain-conduct.ts";
import { type Cost, catgen, costOf, guard, machine, median, print, python, pythonScript } from "./lib.ts";

/**
 * Judging 50,000 trajectories with 300,000 segments again under another threshold: from stored metrics rows to stored verdict rows. And
 * `catgen analyze` over the same: every threshold at once, the whole process.
 */

const trajectories = 50_000;
const shards = 64;
const random = drawer(7);
const whole = (most: number): number => Math.floor(random() * most);

const sketch = (values: number): string => Buffer.from(Uint8Array.from({ length: 2 * values }, () => whole(256))).toString("base64");

function metrics(): Metrics {
  const calls = 5; // six segments each
  const steps = 40 + whole(90);
  const sample = () => ({ tokens: 4_000 + whole(20_000), trainedTokens: 500 + whole(3_000), neededTokens: 8_000 + whole(30_000) });
  return {
    trajectory: {
      resolved: random() < 0.7,
      exit: "submitted",
      steps,
      callLessSteps: 0,
      unrenderable: [],
      preCondensed: false,
      controlTokenTexts: 0,
      baseTokens: whole(90_000),
      rejectedBy: null,
      promptTokens: { calls: steps + calls, sum: whole(2_000_000), max: whole(60_000) },
      promptTokensPerCall: Array.from({ length: steps + calls }, () => whole(40_000)),
      ...plainConduct,
      contamination: uncontaminated,
    },
    blocks: Array.from({ length: calls }, (_, index) => ({
      cut: 10 * (index + 1),
      gapSteps: 10,
      foldTokens: 500 + whole(16_000),
      previousMemoryTokens: whole(3_000),
      memoryTokens: whole(4_000),
      foldRatio: Math.round(random() * 1e6) / 1e6,
      windowTokensBefore: whole(30_000),
      windowTokensAfter: whole(15_000),
      windowRatio: Math.round(random() * 1e6) / 1e6,
      checks: Object.fromEntries(Object.keys(checks).map((check) => [check, [whole(200), whole(3)] as [number, number]])),
      findings: [],
      previousFacts: whole(200),
      keptFacts: whole(100),
      ...plainMemory,
      judgedFindings: null,
    })),
    segments: Array.from({ length: calls + 1 }, sample),
    condensations: Array.from({ length: calls }, sample),
    base: sample(),
    dropLast: sample(),
    set: { stepsSketch: sketch(128), taskSketch: sketch(64), instance: `acme__web-${whole(20_000)}`, repository: `acme/web-${whole(500)}` },
  };
}

function pythonRow(label: string, all: readonly Cost[]): (string | number)[] {
  const seconds = median(all.map((one) => one.seconds));
  const cpuMs = 1_000 * median(all.map((one) => one.cpuSeconds));
  return [label, (1_000 * seconds).toFixed(0), cpuMs.toFixed(0), Math.round(trajectories / seconds)];
}

const folder = await mkdtemp(join(tmpdir(), "catgen-bench-"));
try {
  const run = await createRun(folder, "judge", shards);
  const rows = Array.from({ length: trajectories }, (_, index) => ({
    id: `bench/task-${index}/${sha256(String(index)).slice(0, 12)}`,
    value: metrics(),
  }));
  const settled = await settleHere(Recipe.parse({}), null);
  const byShard = Array.from({ length: shards }, (): typeof rows => []);
  for (const row of rows) byShard[shardOf(row.id, shards)]?.push(row);
  for (const [shard, unsorted] of byShard.entries()) {
    const mine = unsorted.sort((a, b) => (a.id < b.id ? -1 : 1));
    const writer = await openRowsWriter(run, "5-measure", shard);
    for (const { id, value } of mine)
      await writer.write({ id, key: sha256(id), rev: sha256(`${id} rev`), from: {}, outcome: { ok: true, value } });
    const tallies = { in: mine.length, out: mine.length, rejected: {}, quarantined: 0, failed: 0 };
    await writeManifest(run, "5-measure", {
      stage: "measure",
      shard,
      stageKey: stepKey("measure", settled).stageKey,
      inputs: {},
      output: await writer.publish(),
      tallies,
      failures: [],
      reusedRows: 0,
      started: "",
    });
  }
  const limits = { ...Recipe.parse({}).filter, windowTokens: 65_536 };
  const inMemory: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    const start = performance.now();
    for (const { value } of rows) judgeMetrics(value, limits);
    inMemory.push(performance.now() - start);
  }
  rows.length = 0; // a run holds no metrics: neither may what it is measured beside
  byShard.length = 0;
  const stored: number[] = [];
  const processor: number[] = [];
  const threaded: number[] = [];
  const theirs = { judge: [] as Cost[], judge_pandas: [] as Cost[] };
  const allShards = Array.from({ length: shards }, (_, shard) => shard);
  const threads = Math.min(2, availableParallelism()); // as many as `run` takes for this much: one per 64 MiB of metrics
  const contextOf = (now: Settled) => ({
    run,
    settled: now,
    progress: silentProgress,
    signal: new AbortController().signal,
    jobs: 1,
    recordsAtOnce: 1,
    ports: {
      complete: () => Promise.reject(new Error("no model")),
      countTokens: (text: string) => text.length,
      digest: sha256,
      evaluationSets: async () => noEvaluationSets,
    },
  });
  for (let round = 0; round < 5; round += 1) {
    const changed = await settleHere(Recipe.parse({ filter: { minSteps: 50 + round } }), null);
    const context = contextOf(changed);
    const start = performance.now();
    const before = process.cpuUsage();
    await runShards(context, "judge", allShards);
    stored.push(performance.now() - start);
    const used = process.cpuUsage(before);
    processor.push((used.user + used.system) / 1000);
    const again = { ...context, settled: await settleHere(Recipe.parse({ filter: { minSteps: 60 + round } }), null) };
    const threadsStarted = performance.now();
    await runShards({ ...again, jobs: threads }, "judge", allShards);
    threaded.push(performance.now() - threadsStarted);
    const rowsOf = join(folder, "judge/stages/5-measure/rows");
    if (python !== null)
      for (const script of ["judge", "judge_pandas"] as const)
        theirs[script].push(await costOf([python, pythonScript(script), rowsOf, join(folder, "out.jsonl"), String(50 + round)]));
  }
  const everything = {
    outcome: null,
    exits: null,
    minFoldTokens: null,
    minFoldRatio: null,
    maxFoldRatio: null,
    maxUngroundedShare: null,
    maxLostFailures: null,
  };
  const lenient = await settleHere(Recipe.parse({ filter: everything }), null);
  await runShards(contextOf(lenient), "judge", allShards);
  const selections: { ms: number; cpuMs: number }[] = [];
  let candidates = 0;
  for (let round = 0; round < 3; round += 1) {
    const [start, before] = [performance.now(), process.cpuUsage()];
    const params = stepKey("select", lenient).params as SelectParams;
    const gathered = await gatherCandidates(contextOf(lenient), params);
    selectSet(gathered.candidates, params);
    candidates = gathered.candidates.list.length;
    const used = process.cpuUsage(before);
    selections.push({ ms: performance.now() - start, cpuMs: (used.user + used.system) / 1000 });
  }
  const analyses: Cost[] = [];
  for (let round = 0; round < 3; round += 1) analyses.push(await catgen(["analyze", "--run", "judge", "--runs", folder, "--json"]));
  const analysis = median(analyses.map((one) => one.seconds));
  console.log(`${machine()}\n${trajectories} trajectories, ${trajectories * 6} segments, median of 5 rounds\n`);
  print(
    ["judging", "ms", "CPU ms", "trajectories/s"],
    [
      ["the predicates alone, metrics in memory", median(inMemory).toFixed(0), "", Math.round((trajectories / median(inMemory)) * 1000)],
      [
        "from stored metrics to stored verdicts, one thread",
        median(stored).toFixed(0),
        median(processor).toFixed(0),
        Math.round((trajectories / median(stored)) * 1000),
      ],
      [
        `the same, ${threads} threads and their start`,
        median(threaded).toFixed(0),
        "",
        Math.round((trajectories / median(threaded)) * 1000),
      ],
      [
        `selecting the set from stored rows, all rules, of ${candidates} candidates`,
        median(selections.map(({ ms }) => ms)).toFixed(0),
        median(selections.map(({ cpuMs }) => cpuMs)).toFixed(0),
        Math.round((trajectories / median(selections.map(({ ms }) => ms))) * 1000),
      ],
      [
        `catgen analyze, the whole process (${Math.round(Math.max(...analyses.map((one) => one.peakMegabytes)))} MB at its largest)`,
        (1_000 * analysis).toFixed(0),
        (1_000 * median(analyses.map((one) => one.cpuSeconds))).toFixed(0),
        Math.round(trajectories / analysis),
      ],
      ...(python === null
        ? []
        : [pythonRow("python: json and comparisons, whole process", theirs.judge), pythonRow("python: pandas", theirs.judge_pandas)]),
    ],
  );
  console.log();
  guard("1 GB against what analyze holds at its largest", 1_000 / Math.max(...analyses.map((one) => one.peakMegabytes)), 1);
  const beside = (all: readonly Cost[]): number => (1_000 * median(all.map(({ seconds }) => seconds))) / median(stored);
  if (python === null) console.log("python: not measured; `make bench` sets it up where python3 with venv is found");
  else {
    guard("judging from stored metrics to stored verdicts, against json and comparisons in Python", beside(theirs.judge), 0.6);
    guard("the same against pandas", beside(theirs.judge_pandas), 1);
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
