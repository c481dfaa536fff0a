import type { Spread } from "../../schemas/stats.ts";

export const rounded = (value: number): number => Math.round(value * 1e6) / 1e6;

/** Numbers counted by value: exact mean, median and max in memory that grows with the distinct values only. */
export class Tally {
  private readonly counts = new Map<number, number>();
  private size = 0;
  private sum = 0;

  add(value: number): void {
    this.counts.set(value, (this.counts.get(value) ?? 0) + 1);
    this.size += 1;
    this.sum += value;
  }

  spread(): Spread {
    const values = [...this.counts.keys()].sort((a, b) => a - b);
    const max = values.at(-1);
    if (max === undefined) return null;
    const median = (this.ranked(values, Math.floor((this.size - 1) / 2)) + this.ranked(values, Math.floor(this.size / 2))) / 2;
    return { mean: rounded(this.sum / this.size), median: rounded(median), max };
  }

  /** The value at 0-based `rank` of all values in order. */
  private ranked(values: readonly number[], rank: number): number {
    let seen = 0;
    for (const value of values) {
      seen += this.counts.get(value) ?? 0;
      if (seen > rank) return value;
    }
    throw new RangeError(`rank ${rank} of ${this.size}`);
  }
}
