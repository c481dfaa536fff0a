import { grown } from "../grown.ts";

/** Unsigned 32-bit numbers as they come. */
class Numbers {
  private values = new Uint32Array(1024);
  size = 0;

  push(value: number): void {
    if (this.size === this.values.length) this.values = grown(this.values, this.size + 1);
    this.values[this.size] = value;
    this.size += 1;
  }

  at(index: number): number {
    return this.values[index] ?? 0;
  }
}

/** Fingerprints of many tasks, found in constant time each: 16 bytes per fingerprint and task. */
export interface PrintTable {
  readonly prints: number;
  /** Visits each place that holds the fingerprint; a fingerprint that several tasks have has a place for each. */
  places(high: number, low: number, visit: (place: number) => void): void;
  taskAt(place: number): number;
  /** Fingerprints of a task that count. */
  sizeOf(task: number): number;
}

/** 32 bits of a digest in hex, from digit `start` on. */
export const wordAt = (hex: string, start: number): number => Number.parseInt(hex.slice(start, start + 8), 16);

/**
 * A fingerprint that several tasks have is of a template (an issue form, a licence, a version listing) and says nothing about which task it is: it
 * does not count, unless less than this share of a task's is its own, as where a set holds one task under two names. Of Verified's 500
 * statements the least has 0.46; a quarter is our choice. What it is for: data/decontamination/README.md.
 */
const leastOwnShare = 0.25;

/** Places in order of their bucket, which is the first bits of the fingerprint: digests are spread evenly, so that it holds about one. */
interface Buckets {
  readonly high: Uint32Array;
  readonly low: Uint32Array;
  readonly task: Uint32Array;
  /** Of each bucket, and the end of the last. */
  readonly starts: Uint32Array;
  readonly shift: number;
}

type Columns = Readonly<Record<"high" | "low" | "task", { readonly size: number; at(index: number): number }>>;

function bucketed({ high, low, task }: Columns, keeps: (index: number) => boolean): Buckets {
  const bits = Math.min(24, Math.max(1, Math.ceil(Math.log2(high.size + 1))));
  const shift = 32 - bits;
  const starts = new Uint32Array(2 ** bits + 1);
  let size = 0;
  for (let at = 0; at < high.size; at += 1) {
    if (!keeps(at)) continue;
    const after = (high.at(at) >>> shift) + 1;
    starts[after] = (starts[after] ?? 0) + 1;
    size += 1;
  }
  for (let bucket = 1; bucket < starts.length; bucket += 1) starts[bucket] = (starts[bucket] ?? 0) + (starts[bucket - 1] ?? 0);
  const next = starts.slice();
  const made = { high: new Uint32Array(size), low: new Uint32Array(size), task: new Uint32Array(size), starts, shift };
  for (let at = 0; at < high.size; at += 1) {
    if (!keeps(at)) continue;
    const bucket = high.at(at) >>> shift;
    const place = next[bucket] ?? 0;
    next[bucket] = place + 1;
    made.high[place] = high.at(at);
    made.low[place] = low.at(at);
    made.task[place] = task.at(at);
  }
  return made;
}

/** 1 where no other place has the same fingerprint. */
function ownPlaces({ high, low, starts }: Buckets): Uint8Array {
  const own = new Uint8Array(high.length).fill(1);
  for (let bucket = 0; bucket + 1 < starts.length; bucket += 1) {
    const [start, end] = [starts[bucket] ?? 0, starts[bucket + 1] ?? 0];
    if (end - start < 2) continue;
    const first = new Map<string, number>();
    for (let place = start; place < end; place += 1) {
      const key = `${high[place]} ${low[place]}`;
      const before = first.get(key);
      if (before === undefined) first.set(key, place);
      else {
        own[before] = 0;
        own[place] = 0;
      }
    }
  }
  return own;
}

const columnsOf = ({ high, low, task }: Buckets): Columns => {
  const column = (values: Uint32Array) => ({ size: values.length, at: (index: number) => values[index] ?? 0 });
  return { high: column(high), low: column(low), task: column(task) };
};

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

  table(): PrintTable {
    const all = bucketed({ high: this.high, low: this.low, task: this.task }, () => true);
    const own = ownPlaces(all);
    const ownSizes = new Uint32Array(this.sizes.size);
    for (const [place, task] of all.task.entries()) ownSizes[task] = (ownSizes[task] ?? 0) + (own[place] ?? 0);
    const keepsAll = (task: number): boolean => (ownSizes[task] ?? 0) < leastOwnShare * this.sizes.at(task);
    const {
      high,
      low,
      task: tasks,
      starts,
      shift,
    } = bucketed(columnsOf(all), (place) => own[place] === 1 || keepsAll(all.task[place] ?? 0));
    return {
      prints: high.length,
      places(wantedHigh, wantedLow, visit) {
        const bucket = wantedHigh >>> shift;
        const end = starts[bucket + 1] ?? 0;
        for (let place = starts[bucket] ?? 0; place < end; place += 1)
          if (high[place] === wantedHigh && low[place] === wantedLow) visit(place);
      },
      taskAt: (place) => tasks[place] ?? 0,
      sizeOf: (task) => (keepsAll(task) ? this.sizes.at(task) : (ownSizes[task] ?? 0)),
    };
  }
}
