/**
 * The whole pipeline on grown data, stage by stage, through the real command line, beside the obvious Python ways:
 *
 *     npx tsx test/bench/stages.bench.ts [megabytes] [rounds] [steps of each run at most] [most jobs]
 *
 * A round makes a new run with one job and another with a job per core, and lets Python do its share in between.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { grow, keepCopies } from "./grow.ts";
import { type Cost, catgen, costOf, fixed, guard, machine, median, print, python, pythonScript, repository, vocabulary } from "./lib.ts";

const megabytes = Number(process.argv[2] ?? 30);
const rounds = Number(process.argv[3] ?? 5);
const steps = Number(process.argv[4] ?? Number.POSITIVE_INFINITY);
const cores = Number(process.argv[5] ?? availableParallelism());
const stages = ["generate", "detect", "condense", "stitch", "measure", "judge", "select", "export"] as const;

const folder = await mkdtemp(join(tmpdir(), "catgen-bench-"));
const costs = new Map<string, Cost[]>();
const add = (name: string, cost: Cost): void => void costs.set(name, [...(costs.get(name) ?? []), cost]);

async function wholeRun(name: string, input: string, jobs: number): Promise<void> {
  for (const stage of stages) {
    const args = ["run", stage, "--run", name, "--runs", join(folder, "runs"), "--jobs", String(jobs), ...keepCopies];
    add(`${stage} ${jobs}`, await catgen([...args, ...(stage === "generate" ? ["--input", input] : [])]));
  }
  await rm(join(folder, "runs"), { recursive: true, force: true });
}

try {
  const input = join(folder, "grown.jsonl");
  const runs = await grow(megabytes, input, steps);
  const nothing = await costOf([process.execPath, join(repository, "pipeline/bin.mjs"), "recipe"]);
  console.log(
    `${machine()}\n${megabytes} MB of grown trajectories (${runs} runs), median of ${rounds}; a process that does nothing: ${fixed(nothing.seconds, 2)} s\n`,
  );
  for (let round = 0; round < rounds; round += 1) {
    await wholeRun("one", input, 1);
    if (python !== null) add("python json", await costOf([python, pythonScript("read_json"), input]));
    if (python !== null) add("python count 1", await costOf([python, pythonScript("count_tokens"), input, vocabulary(), "1"]));
    if (python !== null)
      add("python pandas", await costOf([python, pythonScript("measure_pandas"), input, vocabulary(), join(folder, "measured.jsonl")]));
    if (cores > 1) await wholeRun("all", input, cores);
    if (python !== null)
      add(`python count ${cores}`, await costOf([python, pythonScript("count_tokens"), input, vocabulary(), String(cores)]));
    if (python !== null)
      add(
        `python datasets ${cores}`,
        await costOf([python, pythonScript("datasets_map"), input, vocabulary(), String(cores), join(folder, `cache-${round}`)]),
      );
  }
  const of = (name: string) => {
    const all = costs.get(name) ?? [];
    return {
      seconds: median(all.map((one) => one.seconds)),
      cpu: median(all.map((one) => one.cpuSeconds)),
      peak: Math.max(0, ...all.map((one) => one.peakMegabytes)),
    };
  };
  const row = (label: string, name: string): string[] => {
    const { seconds, cpu, peak } = of(name);
    return [label, fixed(seconds, 2), fixed(megabytes / seconds), fixed(cpu, 2), fixed(peak, 0)];
  };
  const jobs = cores > 1 ? [1, cores] : [1];
  print(
    ["step (jobs)", "s", "MB/s", "CPU s", "peak MB"],
    [
      ...jobs.flatMap((count) => stages.map((stage) => row(`${stage} (${count})`, `${stage} ${count}`))),
      ...(python === null
        ? []
        : [
            row("python: json.loads alone (1)", "python json"),
            row("python: json + tokenizers (1)", "python count 1"),
            row("python: pandas + tokenizers + re, a few measures (1)", "python pandas"),
            row(`python: json + tokenizers + multiprocessing (${cores})`, `python count ${cores}`),
            row(`python: datasets.map (${cores})`, `python datasets ${cores}`),
          ]),
    ],
  );
  console.log();
  const compute = (count: number): number =>
    ["detect", "stitch", "measure"].reduce((sum, stage) => sum + of(`${stage} ${count}`).seconds, 0);
  console.log(
    `detect + stitch + measure: ${fixed(megabytes / compute(1))} MB/s on one core, ${fixed(megabytes / compute(cores))} MB/s on ${cores}`,
  );
  if (cores > 1) guard(`detect + stitch + measure, ${cores} jobs against 1`, compute(1) / compute(cores), 1.2);
  /** Import and signals, which count every token, without the starts of two processes: they say nothing about speed and much about 30 MB. */
  const counting = (count: number): number => of(`generate ${count}`).seconds + of(`detect ${count}`).seconds - 2 * nothing.seconds;
  if (python === null) console.log("python: not measured; `make bench` sets it up where python3 with venv is found");
  else {
    guard("import and detect against json + tokenizers that only count, one core", of("python count 1").seconds / counting(1), 1);
    // Threads begin cold, and 30 MB are over when they have warmed up; at 200 MB two cores take half as long per MB.
    guard(`the same, ${cores} cores`, of(`python count ${cores}`).seconds / counting(cores), 0.4);
    guard(`the same against datasets.map, ${cores} cores`, of(`python datasets ${cores}`).seconds / counting(cores), 0.6);
    guard("measure against a few measures in pandas, one core", of("python pandas").seconds / of("measure 1").seconds, 0.5);
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
