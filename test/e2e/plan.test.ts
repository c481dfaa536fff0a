import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { access, cp, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { RunPlan } from "../../schemas/run-plan.ts";
import type { Status } from "../../schemas/status.ts";
import { messageLines } from "../fakes/message-runs.ts";
import { type FakeServer, startFakeServer } from "../fakes/openai-server.ts";
import { memoryText } from "../invariants/placement.ts";
import { makePlace, type Place, repository } from "./harness.ts";

/** The price first: what `run --plan` says comes true, costs nothing, and a person is asked before much is spent. */

const memory = memoryText("noted in request");

let place: Place;
let server: FakeServer;
let input: string;
let names = 0;
beforeAll(async () => {
  place = await makePlace();
  input = join(place.folder, "in");
  await place.write(
    "in/runs.jsonl",
    messageLines([{ instance: "a__a-1" }, { instance: "b__b-2", steps: 70 }, { instance: "c__c-3", steps: 50 }]),
  );
  await place.json(["run", "1-2", "--run", "base", "--input", input, "--set", "run.shards=2"]);
});
afterAll(() => place.remove());
afterEach(() => server?.close());

interface World {
  readonly name: string;
  readonly env: Record<string, string>;
  plan(...args: string[]): Promise<RunPlan>;
  condense(...args: string[]): Promise<NonNullable<RunPlan["steps"][number]["model"]>>;
}

/** An endpoint and an empty cache of its own. */
async function world(cache = `cache-${names}`): Promise<World> {
  server = await startFakeServer({ reply: () => memory });
  names += 1;
  const name = `plan-${names}`;
  const env = { CATGEN_BASE_URL: server.baseUrl, CATGEN_MODEL: "fake-model", CATGEN_CACHE: join(place.folder, cache) };
  const plan = async (...args: string[]): Promise<RunPlan> =>
    RunPlan.parse(await place.json(["run", ...args, "--run", name, "--plan"], env));
  return {
    name,
    env,
    plan,
    condense: async (...args) => {
      const model = (await plan("3", ...args)).steps[0]?.model;
      if (model == null) throw new Error("nothing to ask for");
      return model;
    },
  };
}

/** A run of its own in which stages 1 and 2 are done: a copy of one that was made once. */
async function detected(name: string): Promise<void> {
  await cp(join(place.runs, "base"), join(place.runs, name), { recursive: true, preserveTimestamps: true });
  const path = join(place.runs, name, "run.json");
  await writeFile(path, (await readFile(path, "utf8")).replace('"base"', JSON.stringify(name)));
}

/** Every file below a folder with its bytes and time of change. */
async function everything(folder: string): Promise<string[]> {
  const found: string[] = [];
  for (const entry of (await readdir(folder, { withFileTypes: true }).catch(() => [])).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) found.push(`${path}/`, ...(await everything(path)));
    else {
      const digest = createHash("sha256")
        .update(await readFile(path))
        .digest("hex");
      found.push(`${path} ${(await stat(path)).mtimeMs} ${digest}`);
    }
  }
  return found;
}

test("for a run that does not exist, files and bytes are told, and none is made", async () => {
  const { name, env, plan } = await world();
  const { exists, steps } = await plan("all", "--input", input);
  const { size } = await stat(join(input, "runs.jsonl"));
  expect(exists).toBe(false);
  expect(steps[0]).toMatchObject({
    step: "1-generate",
    input: { files: 1, bytes: size, newFiles: 1, newBytes: size },
    rows: { toMake: null, reusable: 0 },
  });
  expect(steps[2]).toMatchObject({ step: "3-condense", rows: { toMake: null }, waitsFor: ["1-generate", "2-detect"], model: null });
  await expect(access(join(place.runs, name))).rejects.toThrow();
  const missing = await place.catgen(["run", "3", "--run", name, "--plan", "--quiet"], env);
  expect(missing.code).toBe(64);
});

test("the calls planned are the calls made; planning changes no byte of run and cache and asks nothing", async () => {
  const { name, env, plan, condense } = await world();
  await detected(name);
  const before = [...(await everything(place.runs)), ...(await everything(join(place.folder, "cache-0")))];
  const model = await condense("--set", "llm.price={inputPerMillion: 1, outputPerMillion: 10}");
  await plan("all");
  expect([...(await everything(place.runs)), ...(await everything(join(place.folder, "cache-0")))]).toEqual(before);
  expect(server.requests).toHaveLength(0);

  expect(model.units).toMatchObject({ of: "block", cached: 0, unknownRows: 0 });
  expect(model.calls).toEqual({ certain: 6, expected: 2 * model.units.missing, atMost: 4 * model.units.missing }); // a memory and a thought each
  const money = (tokens: "expected" | "atMost"): number => (model.promptTokens[tokens] + 10 * model.replyTokens[tokens]) / 1e6;
  expect(model.cost?.expected).toBeCloseTo(money("expected"), 9);
  expect(model.cost?.atMost).toBeCloseTo(money("atMost"), 9);
  expect(model.rate).toMatchObject({ basis: "assumed", concurrency: 8 });
  expect(model.hours.expected).toBeCloseTo(model.calls.expected / model.rate.callsPerSecond / 3600, 9);

  await place.json(["run", "3", "--run", name], env);
  expect(server.requests).toHaveLength(model.calls.expected);
  const after = (await plan("3")).steps[0];
  expect(after).toMatchObject({ rows: { toMake: 0, reusable: 3 }, model: null });
});

test("second opinions are planned, a call per memory, whoever writes it, and only those that are missing", async () => {
  const { name, env, plan, condense } = await world();
  await detected(name);
  const judge = ["--set", "condense.judge=true"];
  const blocks = (await condense()).units.missing;
  const model = await condense(...judge);
  expect(model.calls).toEqual({ certain: 6, expected: 3 * blocks, atMost: 5 * blocks });
  const builtIn = await condense(...judge, "--set", "condense.condenser=extractive");
  expect(builtIn.calls).toEqual({ certain: blocks, expected: blocks, atMost: blocks });
  await place.json(["run", "3", "--run", name], env);
  const paid = server.requests.length;
  const rest = await condense(...judge);
  expect(rest.calls).toMatchObject({ certain: blocks, expected: blocks });
  expect(rest.units).toMatchObject({ missing: blocks, cached: 0 });
  await place.json(["run", "3", "--run", name, ...judge], env);
  expect(server.requests).toHaveLength(paid + blocks);
  expect((await plan("3")).steps[0]).toMatchObject({ rows: { toMake: 0 }, model: null });
});

test("replies in the cache are not counted: the chain is followed as far as they go", async () => {
  const first = await world("shared-cache");
  await place.json(["run", "1-3", "--run", first.name, "--input", input, "--limit", "2"], first.env);
  const paid = server.requests.length;
  const second = `${first.name}-again`;
  await detected(second);
  const planOf = async (...more: string[]) =>
    RunPlan.parse(await place.json(["run", "3", "--run", second, "--plan", ...more], first.env)).steps[0]?.model;
  const model = await planOf();
  expect(model?.units).toMatchObject({ cached: paid / 2 });
  expect(model?.calls).toMatchObject({ certain: 2, expected: 2 * (model?.units.missing ?? 0) - paid });
  await place.json(["run", "3", "--run", second], first.env);
  expect(server.requests).toHaveLength(paid + (model?.calls.expected ?? 0));
  expect((await planOf("--set", "llm.temperature=0.5"))?.units.cached).toBe(0); // asks for other replies
});

test("a chain that broke off is planned from the block that is missing", async () => {
  const { name, env, condense } = await world();
  await detected(name);
  const whole = await condense();
  const stopped = await place.catgen(
    ["run", "3", "--run", name, "--quiet", "--set", "llm.budget.tokens=30000", "--set", "llm.concurrency=1"],
    env,
  );
  expect(stopped.code).toBe(75);
  const paid = server.requests.length;
  expect(paid).toBeGreaterThan(0);
  const rest = await condense();
  expect(rest.exceedsBudget).toBe(true);
  expect(rest.calls.expected).toBe(whole.calls.expected - paid);
  expect(rest.promptTokens.expected).toBeLessThan(whole.promptTokens.expected);
  expect((await condense("--set", "llm.budget.tokens=null")).exceedsBudget).toBe(false);
});

test("hours are by the measured rate: of this run, else of another one with the same endpoint", async () => {
  const { name, env, condense } = await world();
  await detected(name);
  await place.json(["run", "3", "--run", name], env);
  const own = await condense("--set", "condense.attempts=4");
  expect(own.rate).toMatchObject({ basis: "measured", from: "this-run", calls: server.requests.length });
  const other = `${name}-beside`;
  await detected(other);
  const text = await place.catgen(["run", "3", "--run", other, "--plan", "--quiet", "--set", "condense.attempts=4"], env);
  expect(text.stdout).toMatch(/by \d+ calls measured in other runs with this endpoint: .* calls\/s/);
});

test("the text says what is assumed, and that the price is unknown", async () => {
  const { name, env } = await world();
  await detected(name);
  const { stdout } = await place.catgen(["run", "all", "--run", name, "--plan", "--quiet"], env);
  expect(stdout).toContain("2-detect    nothing to do, 3 reusable");
  expect(stdout).toMatch(/3-condense {2}3 rows to make, 0 reusable/);
  expect(stdout).toContain("cost          unknown: set llm.price");
  expect(stdout).toContain("unknown: no calls measured yet");
  expect(stdout).toMatch(/hours = calls x seconds per call \/ llm.concurrency \/ 3600; if a call took 30 s \(an assumption\)/);
  expect(stdout).toMatch(/4-stitch {4}at most 3 rows to make, 0 reusable; after 3-condense/);
});

test("where detection is stale, its trajectories are named as unknown, not priced by old points", async () => {
  const { name, plan } = await world();
  await detected(name);
  const { steps } = await plan("2-3", "--set", "detect.minGapSteps=4");
  expect(steps[0]?.rows).toEqual({ toMake: 3, reusable: 0 });
  expect(steps[1]).toMatchObject({ upperBound: true, waitsFor: ["2-detect"], model: { units: { missing: 0, unknownRows: 3 } } });
});

test("live runs of a model are planned by tasks; what agents have written by script needs none", async () => {
  const { plan } = await world();
  const tasks = join(repository, "data/demo/tasks");
  const scripted = ["--set", "generate.rollout.agent=scripted"];
  const live = (await plan("1", "--tasks", tasks, "--limit", "2")).steps[0];
  expect(live).toMatchObject({ tasks: { wanted: 2, finished: 0 }, input: null });
  expect(live?.model).toMatchObject({ units: { of: "live-run", missing: 2 }, calls: { certain: 2, expected: 175, atMost: 1000 } });
  expect((await plan("1", "--tasks", tasks, "--limit", "2", ...scripted)).steps[0]?.model).toBeNull();
});

test("without a terminal nobody is asked: a batch job never waits", async () => {
  const { name, env, condense } = await world();
  await detected(name);
  const { calls } = await condense();
  await place.json(["run", "3", "--run", name, "--set", "llm.askAbove.calls=0"], env);
  expect(server.requests).toHaveLength(calls.expected);
});

const hasTerminal = spawnSync("script", ["--version"]).status === 0;
if (!hasTerminal) console.log("skipped: there is no `script` (util-linux) to make a pseudo-terminal with");

describe.skipIf(!hasTerminal)("on a terminal", () => {
  /** Runs the real command line on a pseudo-terminal; `typed` is sent when the question appears. */
  function onTerminal(
    args: readonly string[],
    env: Record<string, string>,
    typed: string | null,
  ): Promise<{ code: number | null; said: string }> {
    const command = [process.execPath, join(repository, "pipeline/bin.mjs"), ...args];
    const quoted = command.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
    return new Promise((done, fail) => {
      const child = spawn("script", ["-qec", quoted, "/dev/null"], {
        cwd: repository,
        env: { ...process.env, ...env, CATGEN_RUNS: place.runs, SHELL: "/bin/sh", TERM: "xterm" },
        stdio: ["pipe", "pipe", "inherit"],
      });
      let said = "";
      let asked = false;
      child.stdout.on("data", (bytes: Buffer) => {
        said += bytes.toString("utf8");
        if (asked || typed === null || !said.includes("go on? [y/N]")) return;
        asked = true;
        child.stdin.write(typed);
      });
      child.on("error", fail);
      child.on("close", (code) => done({ code, said }));
    });
  }
  const args = (name: string, ...more: string[]): string[] => [
    "run",
    "3",
    "--run",
    name,
    "--set",
    "llm.askAbove.calls=2",
    "--quiet",
    ...more,
  ];

  for (const [key, typed] of [
    ["n", "n\r"],
    ["Ctrl-C", "\u0003"],
  ] as const)
    test(`${key} at the question ends with 75, asks the model nothing, and leaves the run as it was`, async () => {
      const { name, env } = await world();
      await detected(name);
      const before = await everything(place.runs);
      const { code, said } = await onTerminal(args(name), env, typed);
      expect(said).toMatch(
        /3-condense would ask the model for[\s\S]*calls[\s\S]*prompt tokens[\s\S]*That is \d+ calls \(llm\.askAbove\.calls is 2\)/,
      );
      expect(code).toBe(75);
      expect(server.requests).toHaveLength(0);
      expect(await everything(place.runs)).toEqual(before);
    });

  test("y goes on", async () => {
    const { name, env, condense } = await world();
    await detected(name);
    const { calls } = await condense();
    const { code, said } = await onTerminal(args(name), env, "y\r");
    expect(said).toContain("go on? [y/N]");
    expect(code).toBe(0);
    expect(server.requests).toHaveLength(calls.expected);
  });

  test("--yes, a limit that is not reached, and limits that are off ask nothing", async () => {
    const { name, env } = await world();
    await detected(name);
    for (const more of [
      ["--set", "llm.askAbove.calls=1000"],
      ["--set", "llm.askAbove={calls: null, money: null}", "--set", "llm.temperature=0.3"],
      ["--yes", "--set", "llm.temperature=0.4"],
    ]) {
      const { code, said } = await onTerminal(args(name, ...more), env, null);
      expect(said).not.toContain("go on?");
      expect(code).toBe(0);
    }
  });

  test("in `run all` the question comes when stages 1 and 2 have said what there is to ask for", async () => {
    const { name, env } = await world();
    const all = ["run", "all", "--run", name, "--input", input, "--set", "llm.askAbove.calls=2", "--quiet"];
    const { code, said } = await onTerminal(all, env, "n\r");
    expect(said).toContain("go on? [y/N]");
    expect(code).toBe(75);
    expect(server.requests).toHaveLength(0);
    const status = await place.json<Status>(["status", "--run", name], env);
    expect(status.stages.map(({ rows }) => rows.in)).toEqual([3, 3, 0, 0, 0, 0, 0, 0]);
  });
});
