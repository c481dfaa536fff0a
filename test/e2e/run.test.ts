import { appendFile, cp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { StatsAnswer } from "../../schemas/stats.ts";
import type { Status } from "../../schemas/status.ts";
import { messageLines } from "../fakes/message-runs.ts";
import { makePlace, type Place } from "./harness.ts";

/** The run store as its users meet it: through the command line, on real files. */

const runs = [
  { instance: "acme__web-1" },
  { instance: "acme__web-2", steps: 40 },
  { instance: "beta__core-7", resolved: false },
  { instance: "beta__core-8", steps: 24 },
  { instance: "gamma__cli-3", steps: 60 },
];

interface Ran extends Status {
  readonly summary: readonly { step: string; shardsMade: number; rowsMade: number; rowsReused: number }[];
}

let place: Place;
beforeAll(async () => {
  place = await makePlace();
  await place.write("in/runs.jsonl", messageLines(runs));
});
afterAll(() => place.remove());

const made = ({ summary }: Ran): string[] => summary.filter((one) => one.shardsMade > 0).map((one) => one.step);
const run = (...more: string[]): Promise<Ran> => place.json<Ran>(["run", "all", "--run", "mine", ...more]);

async function rowFiles(name = "mine"): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  const stages = join(place.runs, name, "stages");
  for (const stage of (await readdir(stages)).sort()) {
    const folder = join(stages, stage, "rows");
    for (const file of (await readdir(folder).catch(() => [])).sort())
      files.set(`${stage}/${file}`, await readFile(join(folder, file), "utf8"));
  }
  return files;
}

/** A rows file of the run that is not empty. */
async function someRows(stage: string): Promise<string> {
  const folder = join(place.runs, "mine", "stages", stage, "rows");
  for (const name of (await readdir(folder)).sort()) if ((await stat(join(folder, name))).size > 0) return join(folder, name);
  throw new Error(`no rows in ${folder}`);
}

test("a folder of runs becomes a dataset, and a second run finds nothing to do", async () => {
  const first = await run("--input", join(place.folder, "in"), "--set", "run.shards=4", "--set", "filter.set.nearDuplicateSteps=null"); // made-up runs do alike
  expect(made(first)).toHaveLength(8);
  expect(first.inputs).toMatchObject({ files: 1, imported: 1, trajectories: 5, byDialect: { messages: 5 } });
  for (const stage of first.stages) expect(stage).toMatchObject({ shardsMissing: 0, shardsStale: 0 });
  const before = await rowFiles();
  const second = await run();
  expect(made(second)).toEqual([]);
  expect(await rowFiles()).toEqual(before);
});

test("a changed threshold judges and exports again, and nothing else", async () => {
  const changed = await run("--set", "filter.minSteps=35");
  expect(made(changed)).toEqual(["5-judge", "5-select", "6-export"]);
  expect(changed.spent.calls).toBe(0);
  expect(made(await run("--set", "filter.minSteps=null"))).toEqual(["5-judge", "5-select", "6-export"]);
});

test("concurrency, time-outs, retries, prices and budgets re-run nothing", async () => {
  const settings = ["llm.concurrency=3", "llm.timeoutMs=1234", "llm.maxAttempts=2", "llm.budget.tokens=5"];
  expect(made(await run(...settings.flatMap((setting) => ["--set", setting]), "--jobs", "7"))).toEqual([]);
});

test("why names the parameter, its old and its new value, before anything is run", async () => {
  const answer = await place.json<{ stages: { stage: string; causes: { cause: string }[] }[] }>([
    "why",
    "all",
    "--run",
    "mine",
    "--set",
    "filter.minSteps=20",
    "--set",
    "detect.minGapSteps=9",
  ]);
  const causes = Object.fromEntries(answer.stages.map(({ stage, causes: found }) => [stage, found.map(({ cause }) => cause)]));
  expect(causes["5-judge"]).toEqual(["filter.minSteps changed from null to 20"]);
  expect(causes["2-detect"]).toEqual(["detect.minGapSteps changed from 8 to 9"]);
  expect(causes["5-measure"]).toEqual([]);
});

test("a changed parameter whose result is the same stops at its own stage", async () => {
  const changed = await run("--set", "detect.maxCalls=25"); // no run has as many calls
  expect(made(changed)).toEqual(["2-detect"]);
  await run("--set", "detect.maxCalls=26");
});

test("an added file touches only the shards its trajectories fall into", async () => {
  await place.write("in/more.jsonl", messageLines([{ instance: "delta__lib-5", steps: 33 }]));
  const before = await rowFiles();
  const added = await run();
  expect(added.inputs.trajectories).toBe(6);
  for (const { step, shardsMade } of added.summary)
    if (step !== "5-select" && step !== "6-export") expect(`${step} ${shardsMade}`).toBe(`${step} 1`);
  const after = await rowFiles();
  expect([...before.keys()].filter((file) => !after.has(file))).toHaveLength(7); // one shard of each row stage was replaced, and of the selection only what it says of that shard
  expect(added.summary.find(({ step }) => step === "2-detect")).toMatchObject({ rowsMade: 1 });
});

test("a removed file takes its trajectories along", async () => {
  await rm(join(place.folder, "in", "more.jsonl"));
  const removed = await run();
  expect(removed.inputs.trajectories).toBe(5);
  expect(removed.stages.find(({ name }) => name === "judge")?.rows.in).toBe(5);
});

test("the same input under another name gives the same rows, byte for byte", async () => {
  await place.json([
    "run",
    "all",
    "--run",
    "twin",
    "--input",
    join(place.folder, "in"),
    "--set",
    "run.shards=4",
    "--set",
    "filter.set.nearDuplicateSteps=null",
  ]);
  const trim = (files: Map<string, string>): string[] => [...files.values()].sort();
  expect(trim(await rowFiles("twin"))).toEqual(trim(await rowFiles("mine")));
});

test("a later stage refuses to run on stale rows and says which command mends it", async () => {
  const { code, stderr } = await place.catgen(["run", "5", "--run", "mine", "--set", "detect.minGapSteps=4", "--quiet"]);
  expect(code).toBe(64);
  expect(stderr).toMatch(/2-detect is stale|3-condense is stale|4-stitch is stale|is stale/);
  expect(stderr).toContain("catgen run");
  await run("--set", "detect.minGapSteps=8");
});

test("a flipped byte is found by verify with file and row, and refused by the next stage", async () => {
  const path = await someRows("1-generate");
  const name = basename(path);
  const bytes = await readFile(path);
  const at = bytes.indexOf("You fix bugs");
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  await writeFile(path, bytes);
  const verified = await place.catgen(["verify", "--run", "mine", "--quiet"]);
  expect(verified.code).toBe(65);
  expect(verified.stdout).toContain(name);
  expect(verified.stdout).toMatch(/row 1\b/);
  const next = await place.catgen(["run", "2", "--run", "mine", "--set", "detect.callPrice=0.6", "--quiet"]);
  expect(next.code).toBe(65);
  expect(next.stderr).toContain("ROWS_CORRUPT");
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  await writeFile(path, bytes);
  expect((await place.catgen(["verify", "--run", "mine", "--quiet"])).code).toBe(0);
});

test("a truncated and a deleted rows file are both found, and running again makes the deleted one anew", async () => {
  const path = await someRows("5-measure");
  const whole = await readFile(path, "utf8");
  await writeFile(path, whole.slice(0, -20));
  expect((await place.catgen(["verify", "--run", "mine", "--quiet"])).code).toBe(65);
  await rm(path);
  expect((await place.catgen(["verify", "--run", "mine", "--quiet"])).code).toBe(65);
  await run("--set", "detect.callPrice=0.5");
  expect(await readFile(path, "utf8")).toBe(whole);
});

test("a run that another process holds ends with 73 and names it", async () => {
  const lock = join(place.runs, "mine", "lock.json");
  await writeFile(lock, JSON.stringify({ host: "elsewhere", pid: 4711, since: "2026-01-01T00:00:00Z" }));
  const { code, stderr } = await place.catgen(["run", "all", "--run", "mine"]);
  expect(code).toBe(73);
  expect(stderr).toMatch(/4711.*elsewhere/);
  await rm(lock);
});

test("a killed run that is started again ends with the same rows as one that was not", async () => {
  const { startCatgen } = await import("./harness.ts");
  const recipe = ["--set", "run.shards=4", "--set", "filter.set.nearDuplicateSteps=null"]; // the twin's
  const again = ["run", "all", "--run", "killed", "--input", join(place.folder, "in"), ...recipe];
  const want = [...(await rowFiles("twin")).entries()].sort();
  for (const delayMs of [700, 1_000, 1_400]) {
    const child = startCatgen(place.runs, [...again, "--quiet"]);
    await new Promise((done) => setTimeout(done, delayMs));
    child.kill("SIGKILL");
    await new Promise((done) => child.on("close", done));
  }
  await place.json(again);
  expect([...(await rowFiles("killed")).entries()].sort()).toEqual(want);
  expect((await place.catgen(["verify", "--run", "killed", "--quiet"])).code).toBe(0);
});

test("a torn journal line is ignored", async () => {
  await cp(join(place.runs, "twin"), join(place.runs, "torn"), { recursive: true });
  const journal = join(place.runs, "torn", "stages", "2-detect", "journal");
  await rm(join(place.runs, "torn", "stages", "2-detect", "manifests", "00000.json"));
  await place.write("runs/torn/stages/2-detect/journal/00000.1-x.jsonl", "");
  await appendFile(join(journal, "00000.1-x.jsonl"), 'deadbeef {"id": "half');
  await place.json(["run", "all", "--run", "torn"]);
  expect([...(await rowFiles("torn")).values()]).toEqual([...(await rowFiles("twin")).values()]);
});

test("show finds a trajectory by part of its id, and --list names all", async () => {
  const list = await place.json<{ trajectories: { id: string }[] }>(["show", "--list", "--run", "mine"]);
  expect(list.trajectories).toHaveLength(5);
  const shown = await place.catgen(["show", "gamma", "--run", "mine"]);
  expect(shown.code).toBe(0);
  expect(shown.stdout).toContain("context call 1");
  expect(shown.stdout).toMatch(/placement: \d+ context calls?, objective [\s\S]*append-only[\s\S]*regret/);
  const fold = await place.catgen(["show", "gamma", "--run", "mine", "--fold", "1"]);
  expect(fold.stdout).toMatch(/fold 1 of \d+: memory and steps of [\d,]+ tokens become a memory of [\d,]+/);
  expect(fold.stdout).toMatch(
    /reason (?:signals|window|cost): [\s\S]*to fit the window[\s\S]*uncached prompt tokens[\s\S]*best other place|no other place/,
  );
  const many = await place.catgen(["show", "acme", "--run", "mine"]);
  expect(many.code).toBe(64);
  expect(many.stderr).toContain("2 trajectories match");
  const none = await place.catgen(["show", "nothing-like-it", "--run", "mine"]);
  expect(none.code).toBe(64);
});

test("stats state the paper's Table 1 beside the run's", async () => {
  const stats = await place.json<{ paper: { steps: { mean: number } }; run: { trajectories: number; contextCalls: { mean: number } } }>([
    "stats",
    "--run",
    "mine",
  ]);
  expect(stats.paper.steps.mean).toBe(87.4);
  expect(stats.run.trajectories).toBe(4);
  expect(stats.run.contextCalls.mean).toBeGreaterThan(0);
  const { chain } = StatsAnswer.parse(stats);
  const calls = Object.entries(chain.chainLengths).reduce((sum, [length, count]) => sum + Number(length) * count, 0);
  expect(chain.hops.reduce((sum, hop) => sum + hop.calls, 0)).toBe(calls);
  expect(chain.reasons.signals + chain.reasons.window + chain.reasons.cost).toBe(calls);
  expect(chain.savedShare).not.toBeNull();
});
