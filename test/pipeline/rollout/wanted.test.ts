import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { settle } from "../../../pipeline/keys.ts";
import { checkRecipe, setInRecipe } from "../../../pipeline/recipe.ts";
import { type TaskNews, type WantedRollout, wantedRollouts } from "../../../pipeline/rollout/wanted.ts";

/** Which live runs are wanted, and under which keys: a key that changes costs a sandbox and perhaps money, one that does not hides a difference. */

let place: string;
const at = (...parts: string[]): string => join(place, ...parts);
function write(path: string, text: string): void {
  mkdirSync(dirname(at(path)), { recursive: true });
  writeFileSync(at(path), text);
}
const taskFile = (change: Record<string, unknown> = {}): string =>
  stringify({ id: "sum", title: "Wrong", problem: "add subtracts.", tree: "../tree", tests: { command: "node --test" }, ...change });

beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), "catgen-wanted-"));
  write("tree/sum.js", "export const add = (a, b) => a - b;\n");
  write("tree/bin/run", "#!/bin/sh\n");
  write("task/task.yaml", taskFile());
  write("task/tests/hidden.test.js", "// hidden\n");
});
afterEach(() => rmSync(place, { recursive: true, force: true }));

const endpoint = { CATGEN_BASE_URL: "http://localhost:1/v1", CATGEN_MODEL: "fake" };

async function news(set: readonly string[] = [], folder = "task", env: Record<string, string> = endpoint): Promise<TaskNews[]> {
  const recipe = checkRecipe(set.reduce<unknown>(setInRecipe, {}), "the test");
  const complete = async (): Promise<never> => {
    throw new Error("nothing is asked before a run begins");
  };
  const settled = settle(recipe, env, { name: "qwen2.5", digest: "0".repeat(64), local: null });
  const all: TaskNews[] = [];
  for await (const one of wantedRollouts([at(folder)], { settled, lists: [], complete })) all.push(one);
  return all;
}
async function wanted(set: readonly string[] = [], folder = "task", env = endpoint): Promise<readonly WantedRollout[]> {
  const [only] = await news(set, folder, env);
  if (only?.kind !== "task") throw new Error(`expected a task, got ${JSON.stringify(only)}`);
  return only.rollouts;
}
const keyWith = async (...set: string[]): Promise<string | undefined> => (await wanted(set))[0]?.key;

describe("the key of a run is another", () => {
  test.each([
    "generate.rollout.temperature=0.5",
    "generate.rollout.maxSteps=7",
    "generate.rollout.observationChars=2000",
    "persona.callStyle=xml",
    "persona.controlTokens=escape",
    "persona.system=Be brief.",
    "window.tokens=32768",
    "llm.temperature=0.9",
    "llm.seed=5",
    "llm.model=other",
  ])("with %s", async (set) => {
    expect(await keyWith(set)).not.toBe(await keyWith());
  });

  test.each([
    ["a changed byte", () => write("tree/sum.js", "export const add = (a, b) => a * b;\n")],
    ["a file more", () => write("tree/new.js", "")],
    ["a file renamed", () => cpSync(at("tree/sum.js"), at("tree/add.js"))],
    ["a link", () => symlinkSync("sum.js", at("tree/link.js"))],
    ["a program that may now be executed", () => chmodSync(at("tree/bin/run"), 0o755)],
    ["another hidden test", () => write("task/tests/hidden.test.js", "// more\n")],
    ["other words in the task", () => write("task/task.yaml", taskFile({ problem: "add multiplies." }))],
  ])("with %s in the task", async (_, change) => {
    const before = await keyWith();
    change();
    expect(await keyWith()).not.toBe(before);
  });

  test("when what was one file becomes two of the same bytes", async () => {
    write("tree/x", "A/y\0file\x001\0B");
    const one = await keyWith();
    write("tree/x", "A");
    write("tree/y", "B");
    expect(await keyWith()).not.toBe(one);
  });
});

describe("the key of a run stays", () => {
  test.each([
    "generate.rollout.atOnce=9",
    "generate.rollout.retries=0",
    "generate.rollout.checkTasks=false",
    "generate.rollout.sandbox.kind=none",
    "generate.rollout.sandbox.memoryMegabytes=1024",
    "llm.concurrency=3",
    "llm.timeoutMs=5000",
    "llm.stream=true",
    "llm.budget.tokens=1000000",
    "filter.minSteps=3",
    "condense.condenser=extractive",
  ])("with %s", async (set) => {
    expect(await keyWith(set)).toBe(await keyWith());
  });

  test("whatever the temperature of other requests, where the agent has its own", async () => {
    const own = "generate.rollout.temperature=0.5";
    expect(await keyWith(own, "llm.temperature=0.9")).toBe(await keyWith(own));
  });

  test("wherever tree and task lie, and whatever history the tree has", async () => {
    const before = (await wanted())[0];
    cpSync(at("tree"), at("elsewhere/tree"), { recursive: true });
    cpSync(at("task"), at("elsewhere/other-name"), { recursive: true });
    write("elsewhere/tree/.git/HEAD", "ref: refs/heads/main\n");
    const after = (await wanted([], "elsewhere/other-name"))[0];
    expect([after?.key, after?.name]).toEqual([before?.key, before?.name]);
  });
});

test("samples differ in key and name alone, and the name says instance, sample and key", async () => {
  const runs = await wanted(["generate.rollout.samples=3"]);
  expect(runs.map(({ sample }) => sample)).toEqual([0, 1, 2]);
  expect(new Set(runs.map(({ key }) => key)).size).toBe(3);
  for (const { name, sample, key } of runs) expect(name).toBe(`sum.${sample}.${key.slice(0, 12)}`);
  expect((await wanted())[0]?.key).toBe(runs[0]?.key); // asking for more later keeps what there is
});

describe("without an endpoint", () => {
  const scripted = async (set: readonly string[] = []) => (await news(set, "task", {}))[0];
  const policy = (thought: string): void =>
    write("task/policy.yaml", stringify({ turns: [{ thought, call: { name: "submit", arguments: {} } }] }));

  test("a task without a script is left out, and it is said what helps", async () => {
    expect(await scripted()).toMatchObject({ kind: "left-out", why: expect.stringContaining("no policy.yaml") });
  });

  test("the script acts; its text is in the key, the settings of an endpoint are not", async () => {
    policy("I hand in.");
    const key = async (set: readonly string[] = []): Promise<string | undefined> => {
      const one = await scripted(set);
      return one?.kind === "task" ? one.rollouts[0]?.key : undefined;
    };
    const before = await key();
    expect(before).toMatch(/^[0-9a-f]{64}$/);
    expect(await key(["llm.seed=5", "generate.rollout.temperature=1"])).toBe(before);
    policy("I think, and hand in.");
    expect(await key()).not.toBe(before);
  });

  test("a script that is none stops everything, by its path", async () => {
    write("task/policy.yaml", "turns: []\n");
    await expect(scripted()).rejects.toMatchObject({ code: "RECIPE_INVALID", message: expect.stringContaining("policy.yaml") });
  });
});
