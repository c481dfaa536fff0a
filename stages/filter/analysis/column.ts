import { grown } from "../../lib/grown.ts";

/** Numbers as they come, eight bytes each: 300,000 of them are 2.4 MB. */
export class Column {
  private values = new Float64Array(1024);
  size = 0;

  push(value: number): void {
    if (this.size === this.values.length) this.values = grown(this.values, this.size + 1);
    this.values[this.size] = value;
    this.size += 1;
  }

  at(index: number): number {
    return this.values[index] ?? Number.NaN;
  }

  /** A copy in ascending order, without what is no finite number. */
  sorted(): Float64Array {
    return this.values
      .slice(0, this.size)
      .filter((value) => Number.isFinite(value))
      .sort();
  }
}

/** The value at `share` (0..1) of ascending values, by nearest rank: always one that occurs. */
export const percentile = (ascending: ArrayLike<number>, share: number): number =>
  ascending[Math.min(ascending.length - 1, Math.max(0, Math.ceil(share * ascending.length) - 1))] ?? Number.NaN;

/** How many of the ascending values are below `limit`, or at most it. */
export function countBelow(ascending: ArrayLike<number>, limit: number, inclusive: boolean): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const value = ascending[middle] ?? Number.NaN;
    if (value < limit || (inclusive && value === limit)) low = middle + 1;
    else high = middle;
  }
  return low;
}
