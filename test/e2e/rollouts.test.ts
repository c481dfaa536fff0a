import { existsSync } from "node:fs";
import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { opened } from "../../pipeline/store/seal.ts";
import { Rollout } from "../../schemas/rollout.ts";
import { RolloutsFile } from "../../schemas/rollouts.ts";
import { Status } from "../../schemas/status.ts";
import { callStyles } from "../../stages/lib/call-styles/index.ts";
import { type FakeFault, type FakeReply, type FakeRequest, type FakeServer, startFakeServer } from "../fakes/openai-server.ts";
import { makePlace, type Place, startCatgen } from "./harness.ts";

/**
 * Live runs through the real command line: a small task, a model that is a function, no sandbox, so that bash, git and node are
 * enough. Most of the time a run waits, so the tests run side by side.
 */

const hidden = `import assert from "node:assert/strict";
import { test } from "node:test";
import { add } from "../sum.js";
test("adds", () => assert.equal(add(2, 3), 5));
test("adds nothing", () => assert.equal(add(2, 0), 2));
`;

let place: Place;
const servers: FakeServer[] = [];
beforeAll(async () => {
  place = await makePlace();
  await place.write("trees/sum/package.json", '{ "type": "module" }\n');
  await place.write("trees/sum/sum.js", "export const add = (a, b) => a - b;\n");
  await place.write("trees/mended/package.json", '{ "type": "module" }\n');
  await place.write("trees/mended/sum.js", "export const add = (a, b) => a + b;\n");
});
afterAll(async () => {
  await Promise.all(servers.map((server) => server.close()));
  await place.remove();
});

/** A task folder under `folder`; values of `change` replace lines of its task.yaml. */
async function task(folder: string, id: string, change: Readonly<Record<string, string>> = {}): Promise<string> {
  const lines: Record<string, string> = {
    id,
    title: `The sum of ${id} is wrong`,
    problem: "add subtracts.",
    tree: "../../trees/sum",
    needs: "[node]",
    tests: "{ command: node --test, log: node-test, failToPass: [adds], passToPass: [adds nothing] }",
    ...change,
  };
  const text = Object.entries(lines).map(([key, value]) => (value === "" ? "" : `${key}: ${value}\n`));
  await place.write(`${folder}/${id}/task.yaml`, text.join(""));
  await place.write(`${folder}/${id}/tests/hidden/sum.test.js`, hidden);
  return join(place.folder, folder);
}

interface Seen {
  readonly id: string;
  /** Turns that the model has taken before. */
  readonly turn: number;
  readonly seed: number;
  readonly request: FakeRequest;
}
const seenIn = (request: FakeRequest): Seen => ({
  id: /The sum of (\S+) is wrong/.exec(request.messages[1]?.content ?? "")?.[1] ?? "",
  turn: request.messages.filter(({ role }) => role === "assistant").length,
  seed: Number(request.body["seed"] ?? 0),
  request,
});

const mends = "sed -i 's/a - b/a + b/' sum.js";
type Act = (seen: Seen) => string;
/** Looks, acts, and hands in. */
const acts =
  (...commands: readonly (string | Act)[]) =>
  (seen: Seen): string => {
    const command = commands[seen.turn] ?? null;
    return typeof command === "function" ? command(seen) : (command ?? "submit");
  };

const native = (command: string): FakeReply => ({
  text: `I do: ${command}.`,
  reasoning: "Nobody sees this again.",
  calls: [command === "submit" ? { name: "submit", arguments: "{}" } : { name: "execute_bash", arguments: JSON.stringify({ command }) }],
});
/** The same in text; arguments are spaced as Python writes them, which is how this style reads them back. */
const xml = (command: string): string => callStyles.xml.assistant(native(command).text, native(command).calls ?? []);

interface World {
  readonly fake: FakeServer;
  readonly env: Record<string, string>;
  readonly name: string;
  run(tasks: string, ...more: string[]): string[];
}

async function serve(
  act: Act,
  fault: (seen: Seen) => FakeFault | null = () => null,
  reply: typeof native | typeof xml = native,
): Promise<World> {
  const fake = await startFakeServer({ reply: (request) => reply(act(seenIn(request))), fault: (request) => fault(seenIn(request)) });
  const name = `live-${servers.push(fake)}`;
  return {
    fake,
    name,
    env: { CATGEN_BASE_URL: fake.baseUrl, CATGEN_MODEL: "fake-model", CATGEN_CACHE: join(place.folder, `cache-${name}`) },
    run: (tasks, ...more) => [
      ...["run", "1", "--run", name, "--tasks", tasks, "--set", "generate.rollout.sandbox.kind=none", "--set", "run.shards=1"],
      ...["--set", "generate.rollout.checkTasks=false", ...more], // of the tests, one looks at that
    ],
  };
}

const folderOf = ({ name }: World, ...parts: string[]): string => join(place.runs, name, "rollouts", ...parts);

/** Finished runs as they lie on disk, by instance and sample. */
async function records(world: World): Promise<Rollout[]> {
  const files = await readdir(folderOf(world, "done"));
  const read = await Promise.all(
    files.map(async (file) => Rollout.parse(JSON.parse(await readFile(folderOf(world, "done", file), "utf8")))),
  );
  return read.sort((a, b) => (a.instance < b.instance ? -1 : a.instance > b.instance ? 1 : a.sample - b.sample));
}
const account = async (world: World): Promise<RolloutsFile> =>
  RolloutsFile.parse(opened(await readFile(folderOf(world, "account.json"), "utf8")));

const bodiesOf = (requests: readonly FakeRequest[]): string[] => requests.map(({ body }) => JSON.stringify(body));

/** Waits for something that is bound to come; a run that ends first shows what it said. */
async function until(fine: () => boolean, ended: Promise<unknown>): Promise<void> {
  let over = false;
  void ended.then(() => {
    over = true;
  });
  while (!fine()) {
    if (over) throw new Error("the run ended before what was waited for");
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

test.concurrent("samples have seeds of their own, are verified and imported; the next run does nothing; another temperature makes new runs", async () => {
  const tasks = await task("samples", "sum-1");
  const world = await serve(acts("cat sum.js", ({ seed }) => (seed === 8 ? "touch nothing.txt" : `${mends}; echo ${seed}`)));
  const args = world.run(tasks, "--set", "generate.rollout.samples=3", "--set", "llm.seed=7", "--set", "generate.rollout.temperature=1");
  const first = await place.catgen(args, world.env);
  expect(first.code, first.stderr).toBe(0);
  const status = Status.parse(await place.json(["status", "--run", world.name]));
  expect(status.rollouts).toEqual({
    tasks: 1,
    wanted: 3,
    finished: 3,
    resolved: 2,
    unresolved: 1,
    byExit: { submitted: 3 },
    leftOut: [],
    failed: [],
  });
  expect(status.inputs).toMatchObject({ trajectories: 3, byDialect: { "catgen-rollout": 3 } });
  expect(status.spent).toMatchObject({ calls: 9, cached: 0 });
  expect(world.fake.requests.map(({ body }) => body["temperature"])).toEqual(Array(9).fill(1));
  expect(new Set(world.fake.requests.map(({ body }) => body["seed"]))).toEqual(new Set([7, 8, 9]));
  const done = await records(world);
  expect(done.map(({ sample, verification, turns, end }) => [sample, verification?.status, turns.length, end.exit])).toEqual([
    [0, "resolved", 3, "submitted"],
    [1, "unresolved", 3, "submitted"],
    [2, "resolved", 3, "submitted"],
  ]);
  expect(done[0]?.verification).toMatchObject({ failToPass: { passed: ["adds"], failed: [] }, passToPass: { passed: ["adds nothing"] } });
  expect(done[1]?.verification).toMatchObject({ failToPass: { passed: [], failed: ["adds"] } });
  expect(done[0]?.turns[0]).toMatchObject({ reasoning: "Nobody sees this again.", thought: "I do: cat sum.js." });
  expect(JSON.stringify(bodiesOf(world.fake.requests))).not.toContain("Nobody sees this again");
  expect(await readdir(folderOf(world, "predictions"))).toEqual(["sample-0.jsonl", "sample-1.jsonl", "sample-2.jsonl"]);
  expect(await readdir(folderOf(world, "open"))).toEqual([]);

  const again = await place.catgen(args, world.env);
  expect([again.code, world.fake.requests.length]).toEqual([0, 9]);
  expect(again.stderr).toMatch(/rollouts +0 rolled out, 3 kept, nothing to do/);

  const cold = ["run", "1", "--run", world.name, "--set", "generate.rollout.temperature=0", "--set", "generate.rollout.samples=1"];
  const after = await place.json<Status>(cold, world.env);
  expect(after.rollouts).toMatchObject({ wanted: 1, finished: 1 });
  expect(after.inputs).toMatchObject({ trajectories: 1 });
  expect(world.fake.requests.length).toBe(12);
  expect((await records(world)).length).toBe(4); // the old ones stay
  expect(await readdir(folderOf(world, "predictions"))).toEqual(["sample-0.jsonl"]);

  const back = ["run", "1", "--run", world.name, "--set", "generate.rollout.temperature=1", "--set", "generate.rollout.samples=3"];
  expect((await place.json<Status>(back, world.env)).inputs).toMatchObject({ trajectories: 3 });
  expect(world.fake.requests.length).toBe(12);
  const predicted = await readFile(folderOf(world, "predictions", "sample-1.jsonl"), "utf8");
  expect(JSON.parse(predicted)).toMatchObject({ instance_id: "sum-1", model_patch: expect.stringContaining("nothing.txt") });
});

test.concurrent("replies in pieces, and calls in xml, give the same steps and the same verdict", async () => {
  const tasks = await task("styles", "sum-1");
  const act = acts("cat sum.js", mends);
  const [whole, written] = [await serve(act), await serve(act, () => null, xml)];
  const streamed = whole.run(tasks, "--set", "llm.stream=true");
  expect((await place.json<Status>(streamed, whole.env)).rollouts).toMatchObject({ resolved: 1 });
  expect(whole.fake.requests.every(({ body }) => body["stream"] === true && Array.isArray(body["tools"]))).toBe(true);
  const inText = written.run(tasks, "--set", "llm.stream=true", "--set", "persona.callStyle=xml");
  expect((await place.json<Status>(inText, written.env)).rollouts).toMatchObject({ resolved: 1 });
  expect(written.fake.requests.every(({ body }) => body["tools"] === undefined)).toBe(true);
  const [[left], [right]] = [await records(whole), await records(written)];
  expect(right?.callStyle).toBe("xml");
  const did = (record: Rollout | undefined) =>
    record?.turns.map(({ thought, calls }) => [thought, calls.map((one) => ({ ...one, arguments: JSON.parse(one.arguments) as unknown }))]);
  expect(did(right)).toEqual(did(left));
  expect(right?.end.patch).toBe(left?.end.patch);
});

test.concurrent("kill -9 in mid-run costs no reply twice; only a run that then sees something else is marked", async () => {
  await task("kill", "same");
  const tasks = await task("kill", "other");
  let holds = true;
  let held = 0;
  const look: Act = ({ id }) => (id === "other" ? "date +%s%N" : "cat sum.js");
  const world = await serve(acts("ls", look, mends, "git diff"), ({ turn }) => {
    if (!holds || turn < 3) return null;
    held += 1;
    return { kind: "stall" };
  });
  const child = startCatgen(place.runs, world.run(tasks), world.env);
  const ended = new Promise((resolve) => child.once("close", resolve));
  await until(() => held === 2, ended);
  child.kill("SIGKILL");
  await ended;
  holds = false;
  const stalled = new Set(bodiesOf(world.fake.requests.filter((request) => seenIn(request).turn === 3)));
  const before = world.fake.requests.length;
  expect(before).toBe(8);

  expect((await place.json<Status>(world.run(tasks), world.env)).rollouts).toMatchObject({ finished: 2, resolved: 2 });
  const [other, same] = await records(world);
  expect([same?.end.marks, other?.end.marks]).toEqual([[], ["diverged-on-resume"]]);
  const answered = bodiesOf(world.fake.requests).filter((body) => !stalled.has(body));
  expect(new Set(answered).size).toBe(answered.length); // nothing that was answered is asked for again
  const asked = world.fake.requests.slice(before).map((request) => `${seenIn(request).id} ${seenIn(request).turn}`);
  expect(asked.sort()).toEqual(["other 2", "other 3", "other 4", "same 3", "same 4"]);
});

test.concurrent("Ctrl-C lets what is in flight finish and ends with 75; the next run goes on from there", async () => {
  await task("drain", "sum-1");
  const tasks = await task("drain", "sum-2");
  const world = await serve(acts("ls", "cat sum.js", mends));
  const child = startCatgen(place.runs, world.run(tasks), world.env);
  let said = "";
  child.stderr.on("data", (bytes: Buffer) => {
    said += bytes.toString();
  });
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  await until(() => world.fake.requests.length > 1, ended);
  child.kill("SIGINT");
  expect([await ended, said.includes("run again to go on")]).toEqual([75, true]);
  expect((await account(world)).failed).toEqual([]);
  expect((await place.json<Status>(world.run(tasks), world.env)).rollouts).toMatchObject({ finished: 2, resolved: 2, failed: [] });
  const bodies = bodiesOf(world.fake.requests);
  expect([bodies.length, new Set(bodies).size]).toEqual([8, 8]);
});

test.concurrent("a refused key stops everything at once with 78, and no run is said to have failed", async () => {
  await task("key", "sum-1");
  const tasks = await task("key", "sum-2");
  const world = await serve(acts("ls"), () => ({ kind: "status", status: 401, message: "bad key" }));
  const { code, stderr } = await place.catgen(world.run(tasks, "--jobs", "1"), world.env);
  expect([code, world.fake.requests.length]).toEqual([78, 1]);
  expect(stderr).toContain("ENDPOINT_AUTH");
  expect(await account(world)).toMatchObject({ wanted: 2, finished: {}, failed: [] });
});

test.concurrent("a storm of 429 delays runs and costs none", async () => {
  const tasks = await task("storm", "sum-1");
  const world = await serve(
    acts("ls", ({ seed }) => `${mends}; echo ${seed}`),
    ({ request: { nth } }) => (nth <= 12 && nth % 3 !== 0 ? { kind: "status", status: 429, headers: { "retry-after": "0" } } : null),
  );
  const args = world.run(tasks, "--set", "generate.rollout.samples=4", "--set", "llm.seed=1", "--set", "llm.maxAttempts=8", "--jobs", "4");
  const status = await place.json<Status>(args, world.env);
  expect(status.rollouts).toMatchObject({ finished: 4, resolved: 4, failed: [] });
  expect(world.fake.requests.length).toBe(12 + 8);
});

test.concurrent("a budget in tokens stops with 75 before it is overdrawn, and raising it goes on without paying twice", async () => {
  const tasks = await task("budget", "sum-1");
  const world = await serve(acts("ls", "seq 1 2000", "cat package.json", mends));
  const args = world.run(tasks, "--set", "window.replyTokens=256");
  const { code, stderr } = await place.catgen([...args, "--set", "llm.budget.tokens=6000"], world.env);
  expect(code).toBe(75);
  expect(stderr).toContain("BUDGET_SPENT");
  const before = world.fake.requests.length;
  expect(before).toBeGreaterThan(0);
  expect(before).toBeLessThan(5);
  expect((await account(world)).failed).toEqual([]);
  const status = await place.json<Status>([...args, "--set", "llm.budget.tokens=1000000"], world.env);
  expect(status.rollouts).toMatchObject({ finished: 1, resolved: 1 });
  expect(world.fake.requests.length).toBe(5);
});

test.concurrent("tasks that are none are named with the reason, and the others are worked on", async () => {
  await task("odd", "good");
  await task("odd", "no-tests", { tests: "" });
  await task("odd", "no-tree", { tree: "../../trees/nowhere" });
  await task("odd", "no-program", { needs: "[catgen-has-no-such-program]" });
  await task("odd", "image", { tree: "", image: "example.org/no/such:image", workdir: "/testbed" });
  await task("odd", "evaluation", { repository: "django/django" });
  await task("odd", "passes-already", { tree: "../../trees/mended" });
  const tasks = await task("odd", "unparsable", { tests: "{ command: echo nothing, log: node-test, failToPass: [adds] }" });
  await place.write("odd/not-yaml/task.yaml", "id: [");
  const world = await serve(acts("ls", mends));
  const { code, stdout, stderr } = await place.catgen(world.run(tasks, "--json", "--set", "generate.rollout.checkTasks=true"), world.env);
  expect(code).toBe(65);
  expect(stderr).toContain("2 records failed and wait for another try");
  expect(stderr).toContain("note:   1 task is left out (no-program): it needs catgen-has-no-such-program");
  expect(stderr).toContain("note:   1 task is left out (image): no sandbox");
  const { rollouts } = JSON.parse(stdout) as Status;
  expect(rollouts).toMatchObject({ tasks: 3, wanted: 3, finished: 1, resolved: 1 });
  const why = Object.fromEntries((rollouts?.leftOut ?? []).map(({ file, why }) => [file.split("/").at(-2), why]));
  expect(why).toEqual({
    evaluation: expect.stringContaining("evaluation set (its repository is in"),
    image: expect.stringContaining("starts from the host's programs, and the tasks name images"),
    "no-program": "it needs catgen-has-no-such-program, which cannot be run in the sandbox (none)",
    "no-tests": expect.stringContaining("tests:"),
    "no-tree": expect.stringContaining("expected a folder at"),
    "not-yaml": expect.stringContaining("no YAML"),
  });
  expect(rollouts?.failed.map(({ id, code, message }) => [id.split(".")[0], code, message])).toEqual([
    ["passes-already", "TASK_INVALID", expect.stringContaining("do so already: adds")],
    ["unparsable", "TASK_INVALID", expect.stringContaining("cannot be read on the untouched tree")],
  ]);
  expect(new Set(world.fake.requests.map((request) => seenIn(request).id))).toEqual(new Set(["good"])); // nothing was paid for the rest

  const shown = await place.catgen(["status", "--run", world.name], world.env);
  expect(shown.stdout).toContain("live:   1 of 3 runs of 3 tasks finished (1 submitted): 1 resolved, 0 not, 0 unknown");
  expect(shown.stdout).toContain("which cannot be run in the sandbox");
  expect(shown.stdout).toMatch(/failed passes-already\S+: .*\[TASK_INVALID\]/);
});

test.concurrent("an evaluation instance is worked on when the recipe allows it, and --limit bounds the runs", async () => {
  await task("allowed", "evaluation", { repository: "django/django" });
  const tasks = await task("allowed", "zzz-later");
  const world = await serve(acts("ls", mends));
  const args = world.run(tasks, "--set", "generate.rollout.allowEvaluationTasks=true", "--limit", "1");
  expect((await place.json<Status>(args, world.env)).rollouts).toMatchObject({
    tasks: 2,
    wanted: 1,
    finished: 1,
    resolved: 1,
    leftOut: [],
  });
  expect((await records(world)).map(({ instance }) => instance)).toEqual(["evaluation"]);
});

test.concurrent("two samples that came out equal are one trajectory; a record that was lost comes back from cached replies", async () => {
  const tasks = await task("equal", "sum-1");
  const world = await serve(acts("ls", mends));
  const args = world.run(tasks, "--set", "generate.rollout.samples=2");
  const status = await place.json<Status>(args, world.env);
  expect(status.rollouts).toMatchObject({ finished: 2, resolved: 2 });
  expect(status.inputs).toMatchObject({ files: 2, trajectories: 1, empty: 0, quarantined: [] });
  const before = await records(world);
  const [lost] = await readdir(folderOf(world, "done"));
  await rm(folderOf(world, "done", lost ?? ""));
  const calls = world.fake.requests.length;
  expect((await place.json<Status>(args, world.env)).rollouts).toMatchObject({ finished: 2, resolved: 2 });
  expect(world.fake.requests.length).toBe(calls);
  const unnoted = (record: Rollout) => ({ ...record, verification: null }); // its log holds times
  expect((await records(world)).map(unnoted)).toEqual(before.map(unnoted));
});

test.concurrent("a run whose prompt does not fit the window asks nothing and is imported as empty", async () => {
  const tasks = await task("narrow", "sum-1");
  const world = await serve(acts("ls"));
  const args = world.run(tasks, "--set", "window.tokens=1024", "--set", "window.replyTokens=512");
  const { code, stderr } = await place.catgen(args, world.env);
  expect(code).toBe(65);
  expect(stderr).toContain("no live run got as far as a first turn: 1 with context-limit (window-full)");
  const status = await place.json<Status>(["status", "--run", world.name]);
  expect(status.rollouts).toMatchObject({ finished: 1, resolved: 0, unresolved: 1, byExit: { "context-limit": 1 }, failed: [] });
  expect(world.fake.requests.length).toBe(0);
});

test.concurrent("with nothing to work on the run says why and ends with 65", async () => {
  const tasks = await task("nothing", "no-program", { needs: "[catgen-has-no-such-program]" });
  const world = await serve(acts("ls"));
  const { code, stderr } = await place.catgen(world.run(tasks), world.env);
  expect(code).toBe(65);
  expect(stderr).toContain("no live run was finished: 1 tasks were left out");
  expect(existsSync(folderOf(world, "done"))).toBe(false);
});

test.concurrent("tasks with images alone, and nothing that runs images, stop with what would help", async () => {
  const tasks = await task("images", "image", { tree: "", image: "example.org/no/such:image", workdir: "/testbed" });
  const world = await serve(acts("ls"));
  const { code, stderr } = await place.catgen(world.run(tasks), world.env);
  expect([code, stderr.includes("SANDBOX_MISSING")]).toEqual([78, true]);
});

test.concurrent("runs that the endpoint refuses before their first turn are told apart from unreadable input", async () => {
  const tasks = await task("refused", "sum-1");
  const world = await serve(acts("ls"), () => ({ kind: "status", status: 400 }));
  const { code, stderr } = await place.catgen(world.run(tasks), world.env);
  expect(code).toBe(65);
  expect(stderr).toContain("no live run got as far as a first turn: 1 with context-limit (refused-by-endpoint)");
  expect(stderr).not.toContain("--input");
});
