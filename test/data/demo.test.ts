import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { demoFolder, exitStatus, readPolicy, readTask, taskIds } from "../../data/demo/policy.ts";
import { type DemoTrajectory, recordTask, solvedFromTheStart } from "../../data/demo/record.ts";
import { canRecord } from "../../data/demo/workspace.ts";

const ids = taskIds();
const short = "stanza-get-missing";
const recordedWith = "v20.";

function readTrajectory(id: string): DemoTrajectory {
  const lines = readFileSync(join(demoFolder, "trajectories", `${id}.jsonl`), "utf8")
    .trimEnd()
    .split("\n");
  expect(lines).toHaveLength(1);
  return JSON.parse(lines[0] ?? "");
}

function sizeOf(path: string): number {
  if (!statSync(path).isDirectory()) return statSync(path).size;
  return readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0);
}

const stepsOf = (trajectory: DemoTrajectory) => trajectory.messages.filter((message) => message.role === "assistant").length;

describe.each(ids)("%s", (id) => {
  const task = readTask(id);
  const policy = readPolicy(id);
  const trajectory = readTrajectory(id);

  test("task, policy and trajectory name each other", () => {
    expect([task.id, policy.task, trajectory.instance_id]).toEqual([id, id, id]);
    expect(trajectory.repo).toBe(`catgen-demo/${task.project}`);
    expect(readdirSync(join(demoFolder, "tasks", id, "tests")).length).toBeGreaterThan(0);
  });

  test("the trajectory holds the turns of the policy, each with its result", () => {
    const [system, user, ...turns] = trajectory.messages;
    expect([system?.role, user?.role]).toEqual(["system", "user"]);
    expect(turns).toHaveLength(policy.turns.length * 2);
    policy.turns.forEach(({ thought, call }, index) => {
      const [asked, answered] = turns.slice(index * 2);
      if (asked?.role !== "assistant" || answered?.role !== "tool") throw new Error(`turn ${index + 1} is not a call with its result`);
      expect(asked.content).toBe(thought.trim());
      expect(asked.tool_calls).toHaveLength(1);
      expect(asked.tool_calls[0]?.function).toEqual({ name: call.name, arguments: JSON.stringify(call.arguments) });
      expect(answered.tool_call_id).toBe(asked.tool_calls[0]?.id);
      expect(answered.content).not.toBe("");
    });
    expect(trajectory.exit_status).toBe(exitStatus(policy));
  });

  test("no path, user or host of the recording machine is in it", () => {
    expect(JSON.stringify(trajectory)).not.toMatch(
      /\/(work|root|home|Users|var)\/|\/root\b|catgen-demo\/(?!cronwell"|stanza")|node_modules|root@|localhost:\d{4}/,
    );
  });
});

describe("all together", () => {
  test("four or more are long, and one of the long ones is unresolved", () => {
    const long = ids.map(readTrajectory).filter((trajectory) => stepsOf(trajectory) >= 40);
    expect(long.length).toBeGreaterThanOrEqual(4);
    for (const trajectory of long) expect(JSON.stringify(trajectory).length).toBeGreaterThan(100_000);
    expect(long.filter((trajectory) => !trajectory.resolved).map((trajectory) => trajectory.exit_status)).toEqual(["max_steps"]);
    expect(ids.filter((id) => readTrajectory(id).resolved).length).toBeGreaterThanOrEqual(4);
  });

  test("the README names the steps and the outcome of each", () => {
    const readme = readFileSync(join(demoFolder, "README.md"), "utf8");
    for (const id of ids) {
      const trajectory = readTrajectory(id);
      expect(readme).toMatch(new RegExp(`\`${id}\` +\\| +${stepsOf(trajectory)} \\|.*\\| ${trajectory.resolved ? "yes" : "no"} +\\|`));
    }
  });

  test("the whole folder stays small", () => {
    expect(sizeOf(demoFolder)).toBeLessThan(1_500_000);
  });
});

describe("recording again", () => {
  test.skipIf(!canRecord())(
    `${short} fails untouched and is resolved as stored (skipped without bash and git)`,
    () => {
      expect(solvedFromTheStart(short)).toBe(false);
      const again = recordTask(short);
      const stored = readTrajectory(short);
      expect(again.resolved).toBe(stored.resolved);
      expect(again.model_patch).toBe(stored.model_patch);
    },
    120_000,
  );

  test.skipIf(!canRecord() || !process.version.startsWith(recordedWith))(
    `${short} gives the same bytes (skipped without bash and git, or with another Node than ${recordedWith}x)`,
    () => {
      expect(recordTask(short)).toEqual(readTrajectory(short));
    },
    120_000,
  );
});
