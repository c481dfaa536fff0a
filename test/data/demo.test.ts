import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { readTasks } from "../../pipeline/tasks/read.ts";
import { Rollout } from "../../schemas/rollout.ts";
import type { TaskInstance } from "../../schemas/task-instance.ts";
import { ScriptedPolicy } from "../../stages/generate/rollout/scripted.ts";
import { agentTools } from "../../stages/generate/tools/index.ts";

const demoFolder = join(import.meta.dirname, "../../data/demo");
const ids = readdirSync(join(demoFolder, "tasks")).sort();
const policyText = (id: string): string => readFileSync(join(demoFolder, "tasks", id, "policy.yaml"), "utf8");
const policyOf = (id: string): ScriptedPolicy => ScriptedPolicy.parse(parse(policyText(id)));

const sizeOf = (path: string): number =>
  statSync(path).isDirectory() ? readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0) : statSync(path).size;

const tasks = new Map<string, TaskInstance>();
const needs = new Map<string, readonly string[]>();
beforeAll(async () => {
  for await (const event of readTasks([join(demoFolder, "tasks")], { maxRecordBytes: 1e6 })) {
    if (!event.ok) throw new Error(event.why);
    needs.set(event.task.instance, event.needs);
    tasks.set(event.task.instance, event.task);
  }
});

describe.each(ids)("%s", (id) => {
  test("is a task with hidden tests", () => {
    const task = tasks.get(id);
    expect(task?.tests.files.length).toBeGreaterThan(0);
    expect(task?.tests.files.every((file) => /^tests?\/hidden\//.test(file.path))).toBe(true);
  });

  test("is graded by the names of tests", () => {
    const { failToPass = [], passToPass = [], log } = tasks.get(id)?.tests ?? {};
    expect(log).not.toBe("exit-code");
    expect([failToPass.length > 0, passToPass.length > 20]).toEqual([true, true]);
    expect(new Set([...failToPass, ...passToPass]).size).toBe(failToPass.length + passToPass.length);
  });

  test("has a policy of 30 to 90 steps", () => {
    const { length } = policyOf(id).turns;
    expect([length >= 30, length <= 90], `${length} steps`).toEqual([true, true]);
  });

  test("has a policy whose every call the tools take", () => {
    for (const { call } of policyOf(id).turns) {
      const parsed = agentTools.get(call.name)?.parse(JSON.stringify(call.arguments));
      expect(parsed, JSON.stringify(call)).toMatchObject({ ok: true });
    }
  });

  test("names no path, user or host of the machine it was written on", () => {
    expect(policyText(id)).not.toMatch(/\/(work|root|home|Users|var)\/|\/root\b|root@|localhost:\d{4}/);
  });
});

describe("the recorded run", () => {
  const records = readFileSync(join(demoFolder, "recorded.jsonl"), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => Rollout.parse(JSON.parse(line)));

  test("has every task", () => expect(records.map(({ instance }) => instance)).toEqual(ids));

  test.each(records.map((record) => [record.instance, record] as const))(
    "%s did what its policy says (else: make record)",
    (id, record) => {
      const done = record.turns.map(({ thought, calls }) => ({
        thought: thought.trim(),
        calls: calls.map((call) => ({ name: call.name, arguments: JSON.parse(call.arguments) as unknown })),
      }));
      expect(done).toEqual(policyOf(id).turns.map(({ thought, call }) => ({ thought: thought.trim(), calls: [call] })));
    },
  );

  test("names no path, user or host of the machine it was made on", () => {
    for (const record of records) expect(JSON.stringify(record)).not.toMatch(/\/(work|root|home|Users|var)\/|root@|localhost:\d{4}/);
  });
});

describe("all together", () => {
  const stepsOf = (id: string): number => policyOf(id).turns.length;
  const submits = (id: string): boolean => policyOf(id).turns.at(-1)?.call.name === "submit";

  test("six or more that need nothing but Node, so that any machine that can run catgen can run the demo", () => {
    const kinds = ids.map((id) => needs.get(id)?.join());
    expect(kinds.filter((kind) => kind === "node").length).toBeGreaterThanOrEqual(6);
    expect(kinds.filter((kind) => kind === "python3").length).toBe(ids.length - kinds.filter((kind) => kind === "node").length);
  });

  test("four of them are long, and one of the long ones never hands in", () => {
    const long = ids.filter((id) => stepsOf(id) >= 40);
    expect(long.length).toBeGreaterThanOrEqual(4);
    expect(long.filter((id) => !submits(id))).toHaveLength(1);
  });

  test("the README names the steps of each, and whether it is resolved", () => {
    const readme = readFileSync(join(demoFolder, "README.md"), "utf8");
    for (const id of ids) expect(readme).toMatch(new RegExp(`\`${id}\` +\\| +${stepsOf(id)} \\|.*\\| ${submits(id) ? "yes" : "no"} +\\|`));
  });

  test("the whole folder stays small", () => expect(sizeOf(demoFolder)).toBeLessThan(2_000_000)); // DESIGN 2
});
