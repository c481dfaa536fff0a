import type { Step } from "../../schemas/trajectory.ts";

/** Tools that keep a to-do list: Claude Code, OpenHands, Gemini CLI, Codex. */
const lists = /^(?:todowrite|todo_write|write_todos|task_tracker|update_plan|update_todo_list|taskupdate|focus_chain)$/i;
const finished = new Set(["completed", "complete", "done", "finished"]);
const texts = ["content", "title", "step", "description", "text", "subject", "taskId", "id"];
const mostItems = 200;

/** Every object in a JSON value, nested ones included, as far as it is worth it. */
function* objectsIn(value: unknown, depth = 0): Generator<Record<string, unknown>> {
  if (depth > 4 || typeof value !== "object" || value === null) return;
  if (!Array.isArray(value)) yield value as Record<string, unknown>;
  for (const inner of Object.values(value).slice(0, mostItems)) yield* objectsIn(inner, depth + 1);
}

/** Items that a step's calls to a to-do list state as done, by their own words. */
export function ticksOf(step: Step): string[] {
  return step.calls
    .filter((call) => lists.test(call.name))
    .flatMap((call) => {
      try {
        return [...objectsIn(JSON.parse(call.arguments))];
      } catch {
        return []; // arguments that are no JSON tick nothing off
      }
    })
    .filter((item) => typeof item["status"] === "string" && finished.has(item["status"]))
    .map((item) => String(texts.map((key) => item[key]).find((text) => typeof text === "string" && text !== "") ?? "an item"));
}
