// biome-ignore-all lint/style/noNonNullAssertion: every index is inside its typed array by construction; a check per byte would cost more than the work

/** Longer lines are rare, and would push out many short ones. */
const longestLine = 1 << 12;
const lineSlots = 1 << 16;
/** Bytes of lines kept: a few long trajectories, whose steps come again in samples and requests. */
const keptBytes = 1 << 22;

/**
 * Token counts of lines seen before. A line goes to one slot and drives out what was there, so that no text, however it was chosen, makes
 * a search long; when the bytes are used up everything is forgotten. A slot is four numbers: hash, where its bytes begin, how many, tokens.
 */
export class LineCounts {
  private readonly slots = new Int32Array(4 * lineSlots);
  private readonly kept = new Uint8Array(keptBytes);
  private readonly keptWords = new DataView(this.kept.buffer);
  private keptLength = 0;
  /** Hash of the line that `find` did not find, for `store`. */
  private missedHash = 0;

  /** Tokens of `bytes[start, end)`, or -1. `words` is a view of the same bytes. */
  find(bytes: Uint8Array, words: DataView, start: number, end: number): number {
    const length = end - start;
    if (length > longestLine) return -1;
    const { slots } = this;
    let hash = length;
    let at = start;
    for (; at + 4 <= end; at += 4) hash = Math.imul(hash ^ words.getInt32(at, true) ^ (hash >>> 15), 0x2c1b3c6d);
    for (; at < end; at++) hash = Math.imul(hash ^ bytes[at]!, 0x01000193);
    hash ^= hash >>> 15;
    const slot = 4 * (hash & (lineSlots - 1));
    if (slots[slot] === hash && slots[slot + 2] === length && this.holds(slots[slot + 1]!, bytes, words, start, end))
      return slots[slot + 3]!;
    this.missedHash = hash;
    return -1;
  }

  private holds(keptAt: number, bytes: Uint8Array, words: DataView, start: number, end: number): boolean {
    const { kept, keptWords } = this;
    let own = keptAt;
    let at = start;
    for (; at + 4 <= end; at += 4, own += 4) if (keptWords.getInt32(own, true) !== words.getInt32(at, true)) return false;
    for (; at < end; at++) if (kept[own++] !== bytes[at]) return false;
    return true;
  }

  /** After `find` missed. */
  store(bytes: Uint8Array, start: number, end: number, tokens: number): void {
    const length = end - start;
    if (length > longestLine) return;
    if (this.keptLength + length > keptBytes) {
      this.slots.fill(0);
      this.keptLength = 0;
    }
    const slot = 4 * (this.missedHash & (lineSlots - 1));
    this.kept.set(bytes.subarray(start, end), this.keptLength);
    this.slots[slot] = this.missedHash;
    this.slots[slot + 1] = this.keptLength;
    this.slots[slot + 2] = length;
    this.slots[slot + 3] = tokens;
    this.keptLength += length;
  }
}
