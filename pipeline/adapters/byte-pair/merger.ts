// biome-ignore-all lint/style/noNonNullAssertion: every index is inside its typed array by construction; a check per byte would cost more than the work

import type { BytePairModel } from "./model.ts";

const noMerge = 0x7fffffff;
/** Up to here looking through all pairs for the best is faster than a heap. */
const longestScannedPiece = 48;

/** Merges a piece's bytes into tokens. */
export class PieceMerger {
  /** Result of the last `merge`. Only its first `count` entries mean something. */
  ids = new Int32Array(1 << 10);
  private ranks = new Int32Array(longestScannedPiece);
  private readonly byteIds: Int32Array;
  private readonly table: MergeTable;
  /** Null where merges alone decide. */
  private readonly whole: WholePieces | null;

  constructor(model: BytePairModel) {
    this.whole = model.likeLlama ? new WholePieces(model) : null;
    this.byteIds = Int32Array.from(gpt2Alphabet(), (character) => idOf(model.vocab, character));
    this.table = new MergeTable(model);
  }

  /** Number of tokens in `bytes[start, end)`; their ids are in `ids`. */
  merge(bytes: Uint8Array, start: number, end: number): number {
    const length = end - start;
    if (length > this.ids.length) this.ids = new Int32Array(2 * length);
    const { ids, byteIds } = this;
    const known = this.whole?.find(bytes, start, end) ?? -1;
    if (known >= 0) {
      ids[0] = known;
      return 1;
    }
    for (let at = 0; at < length; at++) ids[at] = byteIds[bytes[start + at]!]!;
    if (length === 1) return 1;
    return length <= longestScannedPiece ? this.mergeByScan(length) : this.mergeByHeap(length);
  }

  /** Quadratic, for short pieces: look for the best pair, merge it, close the gap. `ranks[i]` is the merge of `ids[i]` and `ids[i + 1]`. */
  private mergeByScan(length: number): number {
    const { ids, ranks, table } = this;
    let count = length;
    for (let at = 0; at < count - 1; at++) ranks[at] = table.find(ids[at]!, ids[at + 1]!);
    while (count > 1) {
      let best = noMerge;
      let bestAt = 0;
      for (let at = 0; at < count - 1; at++) {
        const rank = ranks[at]!;
        if (rank < best) {
          best = rank;
          bestAt = at;
        }
      }
      if (best === noMerge) break;
      count--;
      ids[bestAt] = best;
      for (let at = bestAt + 1; at < count; at++) {
        ids[at] = ids[at + 1]!;
        ranks[at] = ranks[at + 1]!;
      }
      if (bestAt < count - 1) ranks[bestAt] = table.find(best, ids[bestAt + 1]!);
      if (bestAt > 0) ranks[bestAt - 1] = table.find(ids[bestAt - 1]!, best);
    }
    return count;
  }

  /** O(n log n), for long pieces: tokens are a linked list, candidate merges a heap. A candidate that is out of date is passed over. */
  private mergeByHeap(length: number): number {
    const { ids, table } = this;
    const following = new Int32Array(length);
    const preceding = new Int32Array(length);
    const candidates = new MergeHeap(3 * length); // every pair once, and two more for each of fewer than `length` merges
    for (let at = 0; at < length; at++) {
      following[at] = at + 1;
      preceding[at] = at - 1;
      if (at + 1 < length) candidates.add(table.find(ids[at]!, ids[at + 1]!), at);
    }
    while (candidates.size > 0) {
      candidates.removeBest();
      const { rank, at } = candidates;
      const next = following[at]!;
      if (ids[at] === mergedAway || next === length || table.find(ids[at]!, ids[next]!) !== rank) continue;
      ids[at] = rank;
      ids[next] = mergedAway;
      const after = following[next]!;
      following[at] = after;
      if (after < length) {
        preceding[after] = at;
        candidates.add(table.find(rank, ids[after]!), at);
      }
      const before = preceding[at]!;
      if (before >= 0) candidates.add(table.find(ids[before]!, rank), before);
    }
    let count = 0;
    for (let at = 0; at < length; at = following[at]!) ids[count++] = ids[at]!;
    return count;
  }
}

/** Tokens by their spelling, for vocabularies that take a piece whole where they can (`ignore_merges`). */
class WholePieces {
  private readonly alphabet = gpt2Alphabet();
  private readonly ids: ReadonlyMap<string, number>;
  private readonly longest: number;

  constructor({ vocab }: BytePairModel) {
    this.ids = new Map(Object.entries(vocab));
    this.longest = Object.keys(vocab).reduce((most, token) => Math.max(most, token.length), 0);
  }

  /** -1: the piece is no token. */
  find(bytes: Uint8Array, start: number, end: number): number {
    if (end - start > this.longest) return -1;
    let token = "";
    for (let at = start; at < end; at++) token += this.alphabet[bytes[at]!]!;
    return this.ids.get(token) ?? -1;
  }
}

const mergedAway = -1;

/** Which two tokens merge into which: open addressing at a load below one third, a slot's three numbers side by side in memory. */
class MergeTable {
  private readonly slots: Int32Array;
  private readonly mask: number;

  constructor({ vocab, merges }: BytePairModel) {
    const size = 2 ** Math.ceil(Math.log2(3 * merges.length + 1));
    this.mask = size - 1;
    this.slots = new Int32Array(4 * size).fill(-1);
    let lastId = -1;
    for (const merge of merges) {
      const [left, right] = typeof merge === "string" ? (merge.split(" ") as [string, string]) : merge;
      const id = idOf(vocab, left + right);
      if (id <= lastId) throw new Error(`expected merged tokens with rising ids, got ${id} after ${lastId} at merge "${left} ${right}"`);
      this.add(idOf(vocab, left), idOf(vocab, right), id);
      lastId = id;
    }
  }

  private add(left: number, right: number, id: number): void {
    let slot = hashPair(left, right) & this.mask;
    while (this.slots[4 * slot] !== -1) slot = (slot + 1) & this.mask;
    this.slots.set([left, right, id], 4 * slot);
  }

  /** Id of the merged token, which is also the merge's rank (lower goes first), or `noMerge`. */
  find(left: number, right: number): number {
    const { slots, mask } = this;
    for (let slot = hashPair(left, right) & mask; ; slot = (slot + 1) & mask) {
      const at = 4 * slot;
      const candidate = slots[at]!;
      if (candidate === left && slots[at + 1] === right) return slots[at + 2]!;
      if (candidate === -1) return noMerge;
    }
  }
}

function hashPair(left: number, right: number): number {
  const mixed = Math.imul(left, 0x9e3779b1) ^ Math.imul(right, 0x85ebca77);
  return mixed ^ (mixed >>> 15);
}

/** Binary heap of merges, the lowest rank first and of equal ranks the leftmost. A rank and its position are one double, exact below 2^53. */
class MergeHeap {
  size = 0;
  /** What `removeBest` removed. */
  rank = 0;
  at = 0;
  private readonly keys: Float64Array;

  constructor(capacity: number) {
    this.keys = new Float64Array(capacity);
  }

  add(rank: number, at: number): void {
    if (rank === noMerge) return;
    const { keys } = this;
    const key = rank * 2 ** 32 + at;
    let child = this.size++;
    while (child > 0) {
      const parent = (child - 1) >> 1;
      if (keys[parent]! <= key) break;
      keys[child] = keys[parent]!;
      child = parent;
    }
    keys[child] = key;
  }

  removeBest(): void {
    const { keys } = this;
    const best = keys[0]!;
    this.rank = Math.floor(best / 2 ** 32);
    this.at = best - this.rank * 2 ** 32;
    const moved = keys[--this.size]!;
    let parent = 0;
    for (let child = 1; child < this.size; child = 2 * parent + 1) {
      if (child + 1 < this.size && keys[child + 1]! < keys[child]!) child++;
      if (keys[child]! >= moved) break;
      keys[parent] = keys[child]!;
      parent = child;
    }
    keys[parent] = moved;
  }
}

function idOf(vocab: BytePairModel["vocab"], token: string): number {
  const id = vocab[token];
  if (id === undefined) throw new Error(`expected "${token}" in the vocabulary, it is not there`);
  return id;
}

/** GPT-2's character for each byte: printable Latin-1 stands for itself, the other bytes follow from U+0100 on. */
function gpt2Alphabet(): string[] {
  const isPrintable = (byte: number) => (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
  let substitute = 0x100;
  return Array.from({ length: 256 }, (_, byte) => String.fromCharCode(isPrintable(byte) ? byte : substitute++));
}
