import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runEditor } from "./editor.ts";
import { demoFolder, exitStatus, type Policy, type PolicyCall, readPolicy, readTask, taskIds } from "./policy.ts";
import { systemPrompt, tools, userPrompt } from "./prompt.ts";
import { closeWorkspace, copyHiddenTests, openWorkspace, runHidden, runShell, takePatch, type Workspace } from "./workspace.ts";

type ToolCall = { id: string; type: "function"; function: { name: string; arguments: string } };

type Message =
  | { role: "system" | "user"; content: string }
  | { role: "assistant"; content: string; tool_calls: ToolCall[] }
  | { role: "tool"; content: string; tool_call_id: string };

export type DemoTrajectory = {
  instance_id: string;
  repo: string;
  messages: Message[];
  tools: typeof tools;
  resolved: boolean;
  exit_status: "submitted" | "max_steps";
  model_patch: string;
  license: "Apache-2.0";
  model: "scripted";
};

/** Runs the policy of a task for real, then the hidden tests. Nothing is written but the workspace. */
export function recordTask(id: string): DemoTrajectory {
  const task = readTask(id);
  const policy = readPolicy(id);
  const workspace = openWorkspace(id, join(demoFolder, "projects", task.project), task.project);
  const turns = playTurns(workspace, policy, task.timeoutMs);
  const patch = takePatch(workspace);
  copyHiddenTests(workspace, join(demoFolder, "tasks", id, "tests"));
  const resolved = runHidden(workspace, task.tests, task.timeoutMs) === 0;
  closeWorkspace(workspace);
  return {
    instance_id: task.id,
    repo: `catgen-demo/${task.project}`,
    messages: [{ role: "system", content: systemPrompt }, { role: "user", content: userPrompt(task) }, ...turns],
    tools,
    resolved,
    exit_status: exitStatus(policy),
    model_patch: patch,
    license: "Apache-2.0",
    model: "scripted",
  };
}

/** Whether the hidden tests pass on the project as it is; a task is one only if they do not. */
export function solvedFromTheStart(id: string): boolean {
  const task = readTask(id);
  const workspace = openWorkspace(`${id}.untouched`, join(demoFolder, "projects", task.project), task.project);
  copyHiddenTests(workspace, join(demoFolder, "tasks", id, "tests"));
  const solved = runHidden(workspace, task.tests, task.timeoutMs) === 0;
  closeWorkspace(workspace);
  return solved;
}

function playTurns(workspace: Workspace, policy: Policy, timeoutMs: number): Message[] {
  const history = new Map<string, string[]>();
  return policy.turns.flatMap(({ thought, call }, index): Message[] => {
    const id = `call_${String(index + 1).padStart(3, "0")}`;
    const made: ToolCall = { id, type: "function", function: { name: call.name, arguments: JSON.stringify(call.arguments) } };
    return [
      { role: "assistant", content: thought.trim(), tool_calls: [made] },
      { role: "tool", content: runCall(workspace, history, call, timeoutMs), tool_call_id: id },
    ];
  });
}

function runCall(workspace: Workspace, history: Map<string, string[]>, call: PolicyCall, timeoutMs: number): string {
  if (call.name === "execute_bash") return runShell(workspace, call.arguments.command, timeoutMs);
  if (call.name === "str_replace_editor") return runEditor(workspace, history, call.arguments);
  return "Submitted.";
}

function main(ids: string[]): void {
  const rows = (ids.length === 0 ? taskIds() : ids).map((id) => {
    if (solvedFromTheStart(id)) throw new Error(`${id}: the hidden tests pass on the untouched project`);
    const trajectory = recordTask(id);
    mkdirSync(join(demoFolder, "trajectories"), { recursive: true });
    const line = `${JSON.stringify(trajectory)}\n`;
    writeFileSync(join(demoFolder, "trajectories", `${id}.jsonl`), line);
    const steps = trajectory.messages.filter((message) => message.role === "assistant").length;
    return [id, String(steps), String(line.length), String(trajectory.resolved), trajectory.exit_status];
  });
  const table = [["task", "steps", "chars", "resolved", "exit"], ...rows];
  const widths = table[0]?.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0))) ?? [];
  for (const row of table)
    console.log(
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    );
}

if (import.meta.filename === process.argv[1]) main(process.argv.slice(2));
