import { grown } from "../../lib/grown.ts";
import { readSketch } from "./min-hash.ts";

/** Sketches of one size, one behind the other: 2 bytes a value, and no object each. */
export class SketchColumn {
  readonly values: number;
  private data: Uint16Array;
  /** Place of each entry's sketch; -1: it has none. */
  private readonly places: number[] = [];
  private used = 0;

  constructor(values: number) {
    this.values = values;
    this.data = new Uint16Array(1024 * values);
  }

  get size(): number {
    return this.places.length;
  }

  push(text: string | null): void {
    if (this.used + this.values > this.data.length) this.data = grown(this.data, this.used + this.values);
    const whole = text !== null && readSketch(text, this.data, this.used, this.values);
    this.places.push(whole ? this.used : -1);
    if (whole) this.used += this.values;
  }

  has(entry: number): boolean {
    return (this.places[entry] ?? -1) >= 0;
  }

  /** A hash of values `from` to `from + count` of an entry that has a sketch. */
  bandHash(entry: number, from: number, count: number): number {
    const start = (this.places[entry] as number) + from;
    let hash = from;
    for (let at = start; at < start + count; at += 1)
      hash = Math.imul((hash ^ (this.data[at] as number)) + 0x9e3779b1, 0x85ebca6b) ^ (hash >>> 15);
    return (hash ^ (hash >>> 13)) >>> 0;
  }

  /** Share of equal values of two entries that have sketches: the estimated Jaccard similarity. */
  similarity(a: number, b: number): number {
    const [first, second] = [this.places[a] as number, this.places[b] as number];
    let equal = 0;
    for (let index = 0; index < this.values; index += 1) if (this.data[first + index] === this.data[second + index]) equal += 1;
    return equal / this.values;
  }
}
