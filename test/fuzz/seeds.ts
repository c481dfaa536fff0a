import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { dialectOf } from "../../stages/generate/import-record.ts";
import { oneRun } from "../stages/generate/one-run.ts";

/** A run to damage, as JSON text: each case gets its own copy. */
export interface Seed {
  readonly name: string;
  readonly text: string;
}

/** Longer records take more time and hold nothing new. */
const longest = 60_000;
const mostReal = 12;

/** Fixtures, the one run in every dialect's words, and real runs where the collection is there; by dialect. */
export function seedsByDialect(): ReadonlyMap<string, readonly Seed[]> {
  const seeds = new Map<string, Seed[]>();
  const add = (name: string, value: unknown, most = Number.POSITIVE_INFINITY): void => {
    const dialect = dialectOf(value, name)?.name;
    const text = dialect === undefined ? "" : JSON.stringify(value);
    if (dialect === undefined || text.length > longest) return;
    const known = seeds.get(dialect) ?? [];
    if (known.length < most) seeds.set(dialect, [...known, { name, text }]);
  };
  for (const file of filesUnder(join(import.meta.dirname, "../fixtures/dialects")))
    if (/\.raw\.jsonl?$/.test(file)) add(file, valueIn(file));
  for (const [name, value] of Object.entries(oneRun)) add(name, value);
  const real = join(import.meta.dirname, "../../../shared/trajectories");
  for (const file of existsSync(real) ? filesUnder(real) : []) {
    if (!/\.(?:jsonl?|traj)$/.test(file) || statSync(file).size > 2_000_000) continue;
    const value = valueIn(file);
    add(file, value, mostReal);
    if (Array.isArray(value) && dialectOf(value, file) === null) for (const row of value) add(file, row, mostReal);
  }
  return seeds;
}

const filesUnder = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();

/** One JSON text, or the list of a file's lines. */
function valueIn(file: string): unknown {
  const text = readFileSync(file, "utf8");
  try {
    return JSON.parse(text);
  } catch {
    return text.split("\n").flatMap((line) => {
      try {
        return line === "" ? [] : [JSON.parse(line)];
      } catch {
        return [];
      }
    });
  }
}
