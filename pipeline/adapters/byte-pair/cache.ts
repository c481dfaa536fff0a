// biome-ignore-all lint/style/noNonNullAssertion: every index is inside its typed array by construction; a check per byte would cost more than the work

import { grown } from "../../../stages/lib/grown.ts";

/** Longer pieces hardly ever come again. */
export const longestCachedPiece = 64;
const cacheSlots = 1 << 18;
const fullCache = Math.floor(0.6 * cacheSlots);

/**
 * Tokens of pieces seen before, in a hash table that never grows: at 60 % it is emptied and starts again.
 * A slot is four numbers side by side: hash, where its bytes begin, where its ids begin, `bytes << 8 | ids` (0: free).
 */
export class PieceCache {
  /** Ids of the piece last found or stored: `ids[foundAt, foundAt + foundCount)`. */
  ids = new Int32Array(1 << 19);
  foundAt = 0;
  foundCount = 0;
  private readonly slots = new Int32Array(4 * cacheSlots);
  private keys = new Uint8Array(1 << 20);
  private keysLength = 0;
  private idsLength = 0;
  private pieces = 0;
  /** Hash and free place of the piece that `find` did not find, for `store`. */
  private missedHash = 0;
  private missedAt = 0;

  find(bytes: Uint8Array, start: number, end: number): boolean {
    const { slots } = this;
    const length = end - start;
    const hash = hashBytes(bytes, start, end);
    let at = 4 * (hash & (cacheSlots - 1));
    for (let sizes = slots[at + 3]!; sizes !== 0; sizes = slots[at + 3]!) {
      if (slots[at] === hash && sizes >> 8 === length && this.hasKey(slots[at + 1]!, bytes, start, end)) {
        this.foundAt = slots[at + 2]!;
        this.foundCount = sizes & 0xff;
        return true;
      }
      at = (at + 4) & (4 * cacheSlots - 1);
    }
    this.missedHash = hash;
    this.missedAt = at;
    return false;
  }

  private hasKey(keyAt: number, bytes: Uint8Array, start: number, end: number): boolean {
    const { keys } = this;
    let key = keyAt;
    for (let at = start; at < end; at++) if (keys[key++] !== bytes[at]) return false;
    return true;
  }

  /** Right after `find` missed. */
  store(bytes: Uint8Array, start: number, end: number, ids: Int32Array, count: number): void {
    if (this.pieces === fullCache) this.clear();
    const length = end - start;
    if (this.keysLength + length > this.keys.length) this.keys = grown(this.keys, this.keysLength + length);
    if (this.idsLength + count > this.ids.length) this.ids = grown(this.ids, this.idsLength + count);
    for (let at = 0; at < length; at++) this.keys[this.keysLength + at] = bytes[start + at]!;
    for (let at = 0; at < count; at++) this.ids[this.idsLength + at] = ids[at]!;
    this.slots[this.missedAt] = this.missedHash;
    this.slots[this.missedAt + 1] = this.keysLength;
    this.slots[this.missedAt + 2] = this.idsLength;
    this.slots[this.missedAt + 3] = (length << 8) | count;
    this.foundAt = this.idsLength;
    this.foundCount = count;
    this.keysLength += length;
    this.idsLength += count;
    this.pieces++;
  }

  private clear(): void {
    this.slots.fill(0);
    this.keysLength = 0;
    this.idsLength = 0;
    this.pieces = 0;
    this.missedAt = 4 * (this.missedHash & (cacheSlots - 1));
  }
}

/** FNV-1a, stirred at the end so that its low bits depend on every byte. */
function hashBytes(bytes: Uint8Array, start: number, end: number): number {
  let hash = end - start;
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ bytes[at]!, 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return hash ^ (hash >>> 13);
}
