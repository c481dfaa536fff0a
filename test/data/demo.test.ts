import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { readTasks } from "../../pipeline/tasks/read.ts";
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
beforeAll(async () => {
  for await (const event of readTasks([join(demoFolder, "tasks")], { maxRecordBytes: 1e6 })) {
    if (!event.ok) throw new Error(event.why);
    expect(event.needs).toEqual(["node"]); // any machine that can run catgen can run the demo
    tasks.set(event.task.instance, event.task);
  }
});

describe.each(ids)("%s", (id) => {
  test("is a task with hidden tests", () => {
    const task = tasks.get(id);
    expect(task?.tests.files.length).toBeGreaterThan(0);
    expect(task?.tests.files.every((file) => file.path.startsWith("test/hidden/"))).toBe(true);
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

describe("all together", () => {
  const stepsOf = (id: string): number => policyOf(id).turns.length;
  const submits = (id: string): boolean => policyOf(id).turns.at(-1)?.call.name === "submit";

  test("six or more, four of them long, and one of the long ones never hands in", () => {
    expect(ids.length).toBeGreaterThanOrEqual(6);
    const long = ids.filter((id) => stepsOf(id) >= 40);
    expect(long.length).toBeGreaterThanOrEqual(4);
    expect(long.filter((id) => !submits(id))).toHaveLength(1);
  });

  test("the README names the steps of each, and whether it is resolved", () => {
    const readme = readFileSync(join(demoFolder, "README.md"), "utf8");
    for (const id of ids) expect(readme).toMatch(new RegExp(`\`${id}\` +\\| +${stepsOf(id)} \\|.*\\| ${submits(id) ? "yes" : "no"} +\\|`));
  });

  test("the whole folder stays small", () => expect(sizeOf(demoFolder)).toBeLessThan(1_500_000));
});
