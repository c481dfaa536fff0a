import type { SketchColumn } from "./sketch-column.ts";

/** Of pairs that are exactly as similar as the threshold at least this share must meet in a band. Our choice. */
const recall = 0.99;

export interface Bands {
  /** Values that must all be equal in a band for two sketches to meet there. */
  readonly rows: number;
  readonly bands: number;
}

/** The most rows per band, for the fewest pairs to compare, with which pairs at the threshold meet often enough: 1 - (1 - t^rows)^bands. */
export function bandsFor(threshold: number, values: number): Bands {
  for (let rows = values; rows > 1; rows -= 1) {
    const bands = Math.floor(values / rows);
    if (1 - (1 - threshold ** rows) ** bands >= recall) return { rows, bands };
  }
  return { rows: 1, bands: values };
}

export interface Near {
  readonly entry: number;
  readonly similarity: number;
}

/**
 * Locality-sensitive hashing over entries that were taken in: what meets in a band is compared by all values. Memory: 12 to 16 bytes per
 * band and entry that there is room for.
 */
export class NearDuplicates {
  private readonly column: SketchColumn;
  private readonly threshold: number;
  private readonly rows: number;
  private readonly mask: number;
  /** Per band: the last entry taken in with a hash (plus 1; 0: none), and before each entry the one before it. */
  private readonly heads: readonly Int32Array[];
  private readonly before: readonly Int32Array[];
  /** By entry: for whom it was last compared, so that two bands do not compare it twice. */
  private readonly compared: Int32Array;
  /** By entry: how many were taken in before it. */
  private readonly turn: Int32Array;
  private added = 0;

  /** Entries are numbers under `column.size`. */
  constructor(column: SketchColumn, threshold: number) {
    const { rows, bands } = bandsFor(threshold, column.values);
    const slots = 2 ** Math.ceil(Math.log2(Math.max(16, column.size)));
    this.column = column;
    this.threshold = threshold;
    this.rows = rows;
    this.mask = slots - 1;
    this.heads = Array.from({ length: bands }, () => new Int32Array(slots));
    this.before = Array.from({ length: bands }, () => new Int32Array(column.size));
    this.compared = new Int32Array(column.size).fill(-1);
    this.turn = new Int32Array(column.size);
  }

  private slot(entry: number, band: number): number {
    return this.column.bandHash(entry, band * this.rows, this.rows) & this.mask;
  }

  /** The most similar entry of those taken in, the first among equals; null: none reaches the threshold. */
  find(entry: number): Near | null {
    if (!this.column.has(entry)) return null;
    let best: Near | null = null;
    for (const [band, heads] of this.heads.entries()) {
      const before = this.before[band] as Int32Array;
      for (let other = (heads[this.slot(entry, band)] as number) - 1; other >= 0; other = (before[other] as number) - 1) {
        if (this.compared[other] === entry) continue;
        this.compared[other] = entry;
        const similarity = this.column.similarity(entry, other);
        if (similarity < this.threshold) continue;
        if (best === null || similarity > best.similarity || (similarity === best.similarity && this.comesBefore(other, best.entry)))
          best = { entry: other, similarity };
      }
    }
    return best;
  }

  private comesBefore(a: number, b: number): boolean {
    return (this.turn[a] as number) < (this.turn[b] as number);
  }

  add(entry: number): void {
    if (!this.column.has(entry)) return;
    this.turn[entry] = this.added;
    this.added += 1;
    for (const [band, heads] of this.heads.entries()) {
      const slot = this.slot(entry, band);
      (this.before[band] as Int32Array)[entry] = heads[slot] as number;
      heads[slot] = entry + 1;
    }
  }
}
