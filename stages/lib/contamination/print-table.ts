import { eachWindow } from "./windows.ts";

/** Unsigned 32-bit numbers as they come. */
class Numbers {
  private values = new Uint32Array(1024);
  size = 0;

  push(value: number): void {
    if (this.size === this.values.length) {
      const larger = new Uint32Array(2 * this.size);
      larger.set(this.values);
      this.values = larger;
    }
    this.values[this.size] = value;
    this.size += 1;
  }

  at(index: number): number {
    return this.values[index] ?? 0;
  }
}

/** What a text shares with the task of a table that it has most of; `task` counts the tasks in the order they were added. */
export interface Closest {
  readonly task: number;
  readonly share: number;
}

/** Fingerprints of many tasks, found in constant time each: 16 bytes per fingerprint and task. */
export interface PrintTable {
  readonly prints: number;
  /** Visits each place that holds the fingerprint; a fingerprint that several tasks have has a place for each. */
  places(high: number, low: number, visit: (place: number) => void): void;
  taskAt(place: number): number;
  /** Distinct fingerprints of a task. */
  sizeOf(task: number): number;
}

/** 32 bits of a digest in hex, from digit `start` on. */
export const wordAt = (hex: string, start: number): number => Number.parseInt(hex.slice(start, start + 8), 16);

/** Gathers fingerprints, each once per task. */
export class PrintTableBuilder {
  private readonly high = new Numbers();
  private readonly low = new Numbers();
  private readonly task = new Numbers();
  private readonly sizes = new Numbers();

  /** The next task's. */
  add(prints: Iterable<string>): void {
    const before = this.high.size;
    for (const print of prints) {
      this.high.push(wordAt(print, 0));
      this.low.push(wordAt(print, 8));
      this.task.push(this.sizes.size);
    }
    this.sizes.push(this.high.size - before);
  }

  /** Digests are spread evenly, so their first bits are a hash: about one fingerprint per bucket. */
  table(): PrintTable {
    const { high, low, task, sizes } = this;
    const bits = Math.min(24, Math.max(1, Math.ceil(Math.log2(high.size + 1))));
    const bucketOf = (value: number): number => value >>> (32 - bits);
    const starts = new Uint32Array(2 ** bits + 1);
    for (let at = 0; at < high.size; at += 1) starts[bucketOf(high.at(at)) + 1] = (starts[bucketOf(high.at(at)) + 1] ?? 0) + 1;
    for (let bucket = 1; bucket < starts.length; bucket += 1) starts[bucket] = (starts[bucket] ?? 0) + (starts[bucket - 1] ?? 0);
    const next = starts.slice();
    const [highs, lows, tasks] = [new Uint32Array(high.size), new Uint32Array(high.size), new Uint32Array(high.size)];
    for (let at = 0; at < high.size; at += 1) {
      const bucket = bucketOf(high.at(at));
      const place = next[bucket] ?? 0;
      next[bucket] = place + 1;
      highs[place] = high.at(at);
      lows[place] = low.at(at);
      tasks[place] = task.at(at);
    }
    return {
      prints: highs.length,
      places(wantedHigh, wantedLow, visit) {
        const bucket = bucketOf(wantedHigh);
        const end = starts[bucket + 1] ?? 0;
        for (let place = starts[bucket] ?? 0; place < end; place += 1)
          if (highs[place] === wantedHigh && lows[place] === wantedLow) visit(place);
      },
      taskAt: (place) => tasks[place] ?? 0,
      sizeOf: (index) => sizes.at(index),
    };
  }
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
