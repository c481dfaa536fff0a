import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";

/** A task: an issue of a project under `projects/`, and hidden tests under `tasks/<id>/tests/` that decide whether it is solved. */
export const DemoTask = z.strictObject({
  id: z.string(),
  project: z.string(),
  title: z.string(),
  problem: z.string(),
  /** Run in the project after the hidden tests were copied to `test/hidden/`; exit code 0 is solved. */
  tests: z.string(),
  timeoutMs: z.int().positive(),
});
export type DemoTask = z.infer<typeof DemoTask>;

const path = z.string().startsWith("/workspace/").or(z.string().startsWith("/tmp/"));

export const BashCall = z.strictObject({ name: z.literal("execute_bash"), arguments: z.strictObject({ command: z.string() }) });

export const EditorCall = z.strictObject({
  name: z.literal("str_replace_editor"),
  arguments: z.discriminatedUnion("command", [
    z.strictObject({ command: z.literal("view"), path, view_range: z.tuple([z.int(), z.int()]).optional() }),
    z.strictObject({ command: z.literal("create"), path, file_text: z.string() }),
    z.strictObject({ command: z.literal("str_replace"), path, old_str: z.string(), new_str: z.string() }),
    z.strictObject({ command: z.literal("insert"), path, insert_line: z.int(), new_str: z.string() }),
    z.strictObject({ command: z.literal("undo_edit"), path }),
  ]),
});
export type EditorArguments = z.infer<typeof EditorCall>["arguments"];

export const SubmitCall = z.strictObject({ name: z.literal("submit"), arguments: z.strictObject({}) });

export const PolicyCall = z.discriminatedUnion("name", [BashCall, EditorCall, SubmitCall]);
export type PolicyCall = z.infer<typeof PolicyCall>;

export const PolicyTurn = z.strictObject({ thought: z.string().min(1), call: PolicyCall });

/** What the agent does, turn by turn, whatever it sees. A policy that does not end with `submit` ran out of steps. */
export const Policy = z.strictObject({ task: z.string(), turns: z.array(PolicyTurn).min(1) });
export type Policy = z.infer<typeof Policy>;

export const demoFolder = import.meta.dirname;

export function taskIds(): string[] {
  return readdirSync(join(demoFolder, "tasks")).sort();
}

export function readTask(id: string): DemoTask {
  return DemoTask.parse(parse(readFileSync(join(demoFolder, "tasks", id, "task.yaml"), "utf8")));
}

export function readPolicy(id: string): Policy {
  return Policy.parse(parse(readFileSync(join(demoFolder, "policies", `${id}.yaml`), "utf8")));
}

export function exitStatus(policy: Policy): "submitted" | "max_steps" {
  return policy.turns.at(-1)?.call.name === "submit" ? "submitted" : "max_steps";
}
