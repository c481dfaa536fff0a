import type { Step, Task } from "../../schemas/trajectory.ts";
import { canonicalJson } from "../lib/canonical-json.ts";

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
