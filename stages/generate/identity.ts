import type { Step, Task } from "../../schemas/trajectory.ts";

/** JSON with sorted keys and no white space: equal values, equal text. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const parts = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return `{${parts.map(([key, inner]) => `${JSON.stringify(key)}:${canonicalJson(inner)}`).join(",")}}`;
}

/** Source and instance may hold anything; in an id they hold neither `/` nor white space. */
export const idPart = (text: string): string => text.replace(/[/\s]+/g, "_") || "_";

/** Content alone decides the last part, so adding or moving files renames nothing. */
export function trajectoryId(
  source: string,
  instance: string,
  task: Task,
  steps: readonly Step[],
  digest: (text: string) => string,
): string {
  return `${idPart(source)}/${idPart(instance)}/${digest(canonicalJson({ task, steps })).slice(0, 12)}`;
}
