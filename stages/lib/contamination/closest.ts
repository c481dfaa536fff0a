import { type PrintTable, wordAt } from "./print-table.ts";
import { eachWindow } from "./windows.ts";

/** What a text shares with the task of a table that it has most of; `task` counts the tasks in the order they were added. */
export interface Closest {
  readonly task: number;
  readonly share: number;
}

/** The task with the largest share; of equal ones the first. */
function best(table: PrintTable, seen: ReadonlySet<number>): Closest | null {
  const found = new Map<number, number>();
  for (const place of seen) found.set(table.taskAt(place), (found.get(table.taskAt(place)) ?? 0) + 1);
  let closest: Closest | null = null;
  for (const [task, count] of [...found].sort(([a], [b]) => a - b)) {
    const share = count / table.sizeOf(task);
    if (closest === null || share > closest.share) closest = { task, share };
  }
  return closest;
}

/** Holds texts, taken together, against every table; each window is digested once. `digest`: SHA-256 as hex. null: they have nothing of it. */
export function closestIn(
  texts: readonly string[],
  tables: readonly PrintTable[],
  digest: (text: string) => string,
): readonly (Closest | null)[] {
  const seen = tables.map(() => new Set<number>());
  if (tables.length > 0)
    for (const text of texts)
      eachWindow(text, (window) => {
        const hex = digest(window);
        const high = wordAt(hex, 0);
        const low = wordAt(hex, 8);
        for (const [index, table] of tables.entries()) table.places(high, low, (place) => seen[index]?.add(place));
      });
  return tables.map((table, index) => best(table, seen[index] ?? new Set()));
}
