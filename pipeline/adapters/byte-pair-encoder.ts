// Longer than 500 lines because it is one hot loop: scanner, cache and merger pass each other the same buffers every few bytes of text,
// and would export their insides if they were apart. 40 lines are Unicode data.
// biome-ignore-all lint/style/noNonNullAssertion: every index is inside its typed array by construction; a check per byte would cost more than the work

import { LineCounts } from "./line-counts.ts";

/** What the encoder needs of a Hugging Face `tokenizer.json` of type BPE with byte-level pre-tokenizing. */
export interface BytePairModel {
  /** Token, spelled in GPT-2's printable alphabet (one character per byte), to id. */
  readonly vocab: Readonly<Record<string, number>>;
  /** Best first: `"left right"` or `["left", "right"]`. Ids of the merged tokens must rise, so that an id serves as its own rank. */
  readonly merges: readonly (string | readonly [string, string])[];
  /** Found literally in any text, before everything else, and never split. */
  readonly controlTokens: readonly { readonly content: string; readonly id: number }[];
  /** What Llama 3 does otherwise: up to three digits a piece, no normal form, and a piece that is a token is never merged. */
  readonly likeLlama?: boolean;
}

/**
 * Exact byte-level BPE for the Qwen2, 2.5 and 3 family: the same ids as Hugging Face's `tokenizers` for every text, at over 10 times its
 * speed, in O(n log n) whatever the text. Holds buffers and a cache, so use one per thread.
 *
 * The text is cut at control tokens, each part is NFC-normalised and cut into pieces as this pattern does, and each piece is merged:
 * `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`
 */
export class BytePairEncoder {
  private readonly controlPattern: RegExp;
  private readonly controlIds: ReadonlyMap<string, number>;
  private readonly scanner: PieceScanner;
  private readonly merger: PieceMerger;
  private readonly cache = new PieceCache();
  private readonly lines = new LineCounts();
  private readonly output = new IdList();

  constructor(model: BytePairModel) {
    const longestFirst = [...model.controlTokens].sort((a, b) => b.content.length - a.content.length);
    this.controlPattern = new RegExp(longestFirst.map(({ content }) => escapeForPattern(content)).join("|") || "(?!)", "g");
    this.controlIds = new Map(model.controlTokens.map(({ content, id }) => [content, id]));
    this.scanner = new PieceScanner(model.likeLlama ?? false);
    this.merger = new PieceMerger(model);
  }

  count(text: string): number {
    return this.run(text, null);
  }

  encode(text: string): Int32Array {
    this.output.length = 0;
    this.run(text, this.output);
    return this.output.ids.slice(0, this.output.length);
  }

  /** Number of tokens; their ids go to `output` if there is one. */
  private run(text: string, output: IdList | null): number {
    let tokens = 0;
    let plainFrom = 0;
    this.controlPattern.lastIndex = 0;
    for (let match = this.controlPattern.exec(text); match !== null; match = this.controlPattern.exec(text)) {
      const control = match[0];
      if (match.index > plainFrom) tokens += this.runPlain(text.slice(plainFrom, match.index), output);
      tokens += 1;
      output?.add(this.controlIds.get(control)!);
      plainFrom = match.index + control.length;
    }
    if (plainFrom === 0) return this.runPlain(text, output);
    return plainFrom < text.length ? tokens + this.runPlain(text.slice(plainFrom), output) : tokens;
  }

  /** As `run`, for text without control tokens. */
  private runPlain(text: string, output: IdList | null): number {
    const { scanner } = this;
    scanner.load(text);
    if (output !== null) return this.runPieces(0, scanner.length, output);
    let tokens = 0;
    for (let start = 0; start < scanner.length; ) {
      const end = scanner.lineEnd(start);
      tokens += this.countLine(start, end);
      start = end;
    }
    return tokens;
  }

  private runPieces(from: number, to: number, output: IdList | null): number {
    let tokens = 0;
    for (let start = from; start < to; ) {
      const end = this.scanner.pieceEnd(start);
      tokens += this.runPiece(start, end, output);
      start = end;
    }
    return tokens;
  }

  private countLine(start: number, end: number): number {
    const { lines } = this;
    const { bytes, words } = this.scanner;
    const known = lines.find(bytes, words, start, end);
    if (known >= 0) return known;
    const tokens = this.runPieces(start, end, null);
    lines.store(bytes, start, end, tokens);
    return tokens;
  }

  private runPiece(start: number, end: number, output: IdList | null): number {
    const { cache, merger } = this;
    const { bytes } = this.scanner;
    if (end - start > longestCachedPiece) {
      const count = merger.merge(bytes, start, end);
      output?.addAll(merger.ids, 0, count);
      return count;
    }
    if (!cache.find(bytes, start, end)) {
      const merged = merger.merge(bytes, start, end);
      cache.store(bytes, start, end, merger.ids, merged);
    }
    const count = cache.foundCount;
    output?.addAll(cache.ids, cache.foundAt, count);
    return count;
  }
}

class IdList {
  ids = new Int32Array(1 << 16);
  length = 0;

  add(id: number): void {
    if (this.length === this.ids.length) this.ids = grown(this.ids, this.length + 1);
    this.ids[this.length++] = id;
  }

  addAll(from: Int32Array, offset: number, count: number): void {
    const end = this.length + count;
    if (end > this.ids.length) this.ids = grown(this.ids, end);
    const to = this.ids;
    for (let at = this.length, source = offset; at < end; at++, source++) to[at] = from[source]!;
    this.length = end;
  }
}

// ---- Scanner: where pieces end ----

const other = 0;
const letter = 1;
const number = 2;
const space = 3;
const newline = 4;
const endOfText = 5;

/** Cuts text into the pieces of the pre-tokenizer's pattern, byte by byte: no regular expression, no substring. */
class PieceScanner {
  /** UTF-8 of the loaded text, NFC; `length` bytes of it are valid. Lone surrogates are U+FFFD. */
  bytes = new Uint8Array(1 << 16);
  /** The same bytes, to read four at once. */
  words = new DataView(this.bytes.buffer);
  length = 0;
  private readonly kinds = codePointKinds();
  private readonly utf8 = new TextEncoder();
  private readonly likeLlama: boolean;

  constructor(likeLlama: boolean) {
    this.likeLlama = likeLlama;
  }

  load(text: string): void {
    this.fill(text);
    const isAscii = this.length === text.length;
    if (isAscii || this.likeLlama) return;
    const composed = composeLikeReference(text);
    if (composed !== text) this.fill(composed);
  }

  private fill(text: string): void {
    const needed = Buffer.byteLength(text);
    if (needed > this.bytes.length) {
      this.bytes = new Uint8Array(Math.max(needed, 2 * this.bytes.length));
      this.words = new DataView(this.bytes.buffer);
    }
    this.length = this.utf8.encodeInto(text, this.bytes).written;
  }

  /** End of the piece that begins at `start`, which must be a piece's first byte. */
  pieceEnd(start: number): number {
    const { bytes, length } = this;
    const lead = bytes[start]!;
    const kind = this.kindAt(start);
    const next = start + utf8Width(lead);
    if (kind === letter) return this.lettersEnd(next);
    if (kind === number) return this.likeLlama ? this.numbersEnd(next, 2) : next;
    if (kind === newline) return this.whitespaceEnd(start);
    if (lead === apostrophe) {
      const end = start + contractionWidth(bytes, start, length);
      if (end > start) return end;
    }
    const nextKind = next < length ? this.kindAt(next) : endOfText;
    if (nextKind === letter) return this.lettersEnd(next);
    if (kind === other) return this.symbolsEnd(next);
    return lead === blank && nextKind === other ? this.symbolsEnd(next) : this.whitespaceEnd(start);
  }

  /**
   * End of the stretch of lines that begins at `start`: a line break, and then a visible ASCII character. No piece reaches across (in no
   * alternative of the pattern does a line break come before anything but white space), so such stretches can be counted apart.
   */
  lineEnd(start: number): number {
    const { bytes, words, length } = this;
    for (let at = start; at < length - 1; at++) {
      while (at + 4 < length && !hasLineFeed(words.getInt32(at, true))) at += 4;
      if (bytes[at] === lineFeed && bytes[at + 1]! > blank && bytes[at + 1]! < 0x7f) return at + 1;
    }
    return length;
  }

  private kindAt(at: number): number {
    const lead = this.bytes[at]!;
    return lead < 0x80 ? this.kinds[lead]! : this.kinds[codePointAt(this.bytes, at)]!;
  }

  /** `\p{N}{0,most}` */
  private numbersEnd(from: number, most: number): number {
    let at = from;
    for (let more = 0; more < most && at < this.length && this.kindAt(at) === number; more++) at += utf8Width(this.bytes[at]!);
    return at;
  }

  /** `\p{L}*` */
  private lettersEnd(from: number): number {
    const { bytes, kinds, length } = this;
    let at = from;
    while (at < length) {
      const lead = bytes[at]!;
      if (kinds[lead < 0x80 ? lead : codePointAt(bytes, at)] !== letter) break;
      at += utf8Width(lead);
    }
    return at;
  }

  /** `[^\s\p{L}\p{N}]*[\r\n]*` */
  private symbolsEnd(from: number): number {
    const { bytes, kinds, length } = this;
    let at = from;
    while (at < length) {
      const lead = bytes[at]!;
      if (kinds[lead < 0x80 ? lead : codePointAt(bytes, at)] !== other) break;
      at += utf8Width(lead);
    }
    while (at < length && kinds[bytes[at]!] === newline) at++;
    return at;
  }

  /** `\s*[\r\n]+|\s+(?!\S)|\s+`: up to the run's last line break; else all but its last character, which belongs to the next word. */
  private whitespaceEnd(start: number): number {
    let lastBreakEnd = -1;
    let lastCharacter = start;
    let at = start;
    for (; at < this.length; at += utf8Width(this.bytes[at]!)) {
      const kind = this.kindAt(at);
      if (kind === newline) lastBreakEnd = at + 1;
      else if (kind !== space) break;
      lastCharacter = at;
    }
    if (lastBreakEnd >= 0) return lastBreakEnd;
    return at < this.length && lastCharacter > start ? lastCharacter : at;
  }
}

const lineFeed = 0x0a;

/** Of four bytes at once: is one of them a line feed? */
function hasLineFeed(word: number): boolean {
  const other = word ^ 0x0a0a0a0a; // 0 where the line feed was, and only from a 0 the subtraction borrows into the highest bit
  return ((other - 0x01010101) & ~other & 0x80808080) !== 0;
}

const blank = 0x20;
const apostrophe = 0x27;

function utf8Width(lead: number): number {
  if (lead < 0x80) return 1;
  if (lead < 0xe0) return 2;
  return lead < 0xf0 ? 3 : 4;
}

/** Of a character that is not ASCII. */
function codePointAt(bytes: Uint8Array, at: number): number {
  const lead = bytes[at]!;
  const second = bytes[at + 1]! & 0x3f;
  if (lead < 0xe0) return ((lead & 0x1f) << 6) | second;
  const third = bytes[at + 2]! & 0x3f;
  if (lead < 0xf0) return ((lead & 0x0f) << 12) | (second << 6) | third;
  return ((lead & 0x07) << 18) | (second << 12) | (third << 6) | (bytes[at + 3]! & 0x3f);
}

const small = { d: 0x64, e: 0x65, l: 0x6c, m: 0x6d, r: 0x72, s: 0x73, t: 0x74, v: 0x76 } as const;

/** Bytes of `(?i:'s|'t|'re|'ve|'m|'ll|'d)` at an apostrophe, or 0. `ſ` (U+017F, C5 BF) is an s to whoever ignores case. */
function contractionWidth(bytes: Uint8Array, start: number, length: number): number {
  if (start + 1 >= length) return 0;
  const first = bytes[start + 1]! | 0x20;
  if (first === small.s || first === small.t || first === small.m || first === small.d) return 2;
  if (start + 2 >= length) return 0;
  if (bytes[start + 1] === 0xc5) return bytes[start + 2] === 0xbf ? 3 : 0;
  const second = bytes[start + 2]! | 0x20;
  if (second === small.e) return first === small.r || first === small.v ? 3 : 0;
  return second === small.l && first === small.l ? 3 : 0;
}

// ---- Merger: bytes to ids ----

const noMerge = 0x7fffffff;
/** Up to here looking through all pairs for the best is faster than a heap. */
const longestScannedPiece = 48;

/** Merges a piece's bytes into tokens. */
class PieceMerger {
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

// ---- Cache: pieces seen before ----

/** Longer pieces hardly ever come again. */
const longestCachedPiece = 64;
const cacheSlots = 1 << 18;
const fullCache = Math.floor(0.6 * cacheSlots);

/**
 * Tokens of pieces seen before, in a hash table that never grows: at 60 % it is emptied and starts again.
 * A slot is four numbers side by side: hash, where its bytes begin, where its ids begin, `bytes << 8 | ids` (0: free).
 */
class PieceCache {
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

// ---- Small things ----

function grown<A extends Int32Array | Uint8Array>(array: A, needed: number): A {
  const larger = new (array.constructor as new (length: number) => A)(Math.max(needed, 2 * array.length));
  larger.set(array);
  return larger;
}

function idOf(vocab: BytePairModel["vocab"], token: string): number {
  const id = vocab[token];
  if (id === undefined) throw new Error(`expected "${token}" in the vocabulary, it is not there`);
  return id;
}

function escapeForPattern(literal: string): string {
  return literal.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}

/** GPT-2's character for each byte: printable Latin-1 stands for itself, the other bytes follow from U+0100 on. */
function gpt2Alphabet(): string[] {
  const isPrintable = (byte: number) => (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
  let substitute = 0x100;
  return Array.from({ length: 256 }, (_, byte) => String.fromCharCode(isPrintable(byte) ? byte : substitute++));
}

/** NFC as the reference does it, whose Unicode for this is 9 or 10: characters it does not know keep their place and stay apart. */
function composeLikeReference(text: string): string {
  const composed = text.normalize("NFC");
  if (composed === text || !inertCharacter.test(text)) return composed;
  return text
    .split(inertCharacter)
    .map((part) => part.normalize("NFC"))
    .join("");
}

/** Kind of every code point. */
function codePointKinds(): Uint8Array {
  const kinds = new Uint8Array(0x110000);
  for (const [kind, runs] of [
    [letter, letterRuns],
    [number, numberRuns],
    [space, spaceRuns],
  ] as const) {
    let at = 0;
    for (const run of runs.trim().split(/\s+/)) {
      const [gap, length = "1"] = run.split("+");
      at += Number.parseInt(gap!, 36);
      const end = at + Number.parseInt(length, 36);
      kinds.fill(kind, at, end);
      at = end;
    }
  }
  kinds[0x0a] = newline;
  kinds[0x0d] = newline;
  return kinds;
}

/**
 * Marks and compositions that Unicode got after the reference's version and up to 17, as hexadecimal ranges. Node orders and composes
 * them, the reference leaves them as they are.
 */
const inertRanges = `
  07fd 0897-089f 08ca-08d3 09fe 0c3c 0d3b 0d3c 0eba 1715 1abf-1add 1ae0-1aeb 1df6-1dfa a82c 105c9 105d2 105da 105e4 10d24-10d27
  10d69-10d6d 10eab 10eac 10efa 10efb 10efd-10eff 10f46-10f50 10f82-10f85 11070 1133b 11382-11385 1138b 1138e 11390 11391 113c2 113c5
  113c7 113c8 113ce-113d0 1145e 11839 1183a 11935 11938 1193d 1193e 11943 119e0 11a34 11a47 11a99 11d42 11d44 11d45 11d97 11f41 11f42
  1611e 16121-16129 1612f 16d63 16d67-16d6a 16ff0 16ff1 1e08f 1e130-1e136 1e2ae 1e2ec-1e2ef 1e4ec-1e4ef 1e5ee 1e5ef 1e6e3 1e6e6 1e6ee
  1e6ef 1e6f5`;
const inertCharacter = new RegExp(
  `([${inertRanges
    .trim()
    .replace(/[0-9a-f]+/g, "\\u{$&}")
    .replace(/\s+/g, "")}])`,
  "u",
);

/*
 * Code points by kind as runs `gap+length` in base 36, `gap` counted from the end of the run before; a length of 1 is left out.
 * Unicode 16, as in `tokenizers` 0.23.2. Not `\p{L}`: Node's Unicode is another (17 in Node 20.20), which makes letters of 4,644 code
 * points that the reference does not know, and counts must not change with the version of Node. A test compares all up to U+33FFF.
 */
const spaceRuns = "9+5 i 2s q 4bj 1vj+b t+2 5 1b 334"; // \p{White_Space}; line breaks are set apart above
const letterRuns = `
  1t+q 6+q 1b a 4 5+n 1+v 1+cq 4+c e+5 7 1 3l+5 1+2 2+4 1 6 1+3 1 1+k 1+2b 1+3v 8+4m 1+12 2 6+15 1z+r 4+4 19+17 z+2 1+2r 1 f+2 7+2 a+3
  2 g 1+u t+2h b o+x 9+2 4 5+m 4 9 3 n+p 7+b 5+o 1+6 h+16 1m+1i 3 i 7+a f+g 4+8 2+2 2+m 1+7 1 3+4 3 g d+2 1+3 e+2 a 8+6 4+2 2+m 1+7
  1+2 1+2 1+2 v+4 1 j+3 g+9 1+3 1+m 1+7 1+2 1+5 3 i f+2 n b+8 2+2 2+m 1+7 1+2 1+5 3 u+2 1+3 f h 1+6 3+3 1+4 3+2 1 1+2 3+2 3+3 3+c m
  1g+8 1+3 1+n 1+g 3 q+3 2 2+2 u 4+8 1+3 1+n 1+a 1+5 3 v+2 1+2 f+2 h+9 1+3 1+15 2 g 5+3 8+3 o+6 5+i 3+o 1+9 1 2+7 1m+1c 1+2 c+7 1m+2 1
  1+5 1+o 1 1+a 1+2 9 2+5 1 l+4 w 1r+8 1+10 r+5 37+17 k g+6 4+4 3 3+2 7+3 4+d c h+12 1 5 2+17 1+99 1+4 2+7 1 1+4 2+15 1+4 2+x 1+4 2+7
  1 1+4 2+f 1+1l 1+4 2+1v 11+g g+2e 2+6 3+h8 2+h 1+q 5+23 6+8 7+i d+j e+i e+d 1+3 f+1g z 4 1v+2h 7+5 2+y 1 5+1y a+v 1d+u 2+5 b+18 4+q
  1i+n 9+1h 2a 2l+1b h+8 1i+u d+2 a+18 q+10 15+3 a+10 2+b 5+17 2+3 15+4 1+6 1+2 3 5+5c 1s+7q 2+6 2+12 2+6 2+8 1 1 1 1+v 2+1h 1+7 1 3+3
  1+7 3+4 2+6 4+d 5+3 1+7 38 d g+d 2t 4 2+a 1 3+5 6 1 1 1+4 1+b 2+4 5+5 4 1g+2 22j+6d 6+4 3+2 c+12 1 5 2+1k 7 g+n 9+7 1+7 1+7 1+7 1+7
  1+7 1+7 1+7 28 d1+2 16+5 5+2 4+2e 6+3 1+2i 1+4 5+17 1+2m h+w 1c+g e8+534 1s+h3h 1v+1a 2+7h 3+g a+2 k+1b g+v 2+1y 1d+9 2+2v 2+1v 2+2
  1 1+8 l+g 1+3 1+4 1+n t+1g e+1e 1q+6 3 1+2 b+s a+n p+t 7+1b s g+5 1+a a+5 1+15 n+3 1+8 k+n 3 3+1e 1 3+2 2+5 2 1 o+3 2+b 7+3 c+6 2+6
  2+6 9+7 1+7 1+17 1+e 6+37 t+8mc c+n 4+1d 6is+a6 2+2y 12+7 c+5 5 1+a 1+d 1+5 1 1+2 1+2 1+30 x+a3 i+1s 2+1i 14+c 38+5 1+3r 10+q 6+q
  b+2h 3+6 2+6 2+6 2+3 z+c 1+q 1+j 1+2 1+f 2+e y+3f at+t 3+1d 1b+w d+k 1+8 6+12 a+u 2+10 4+8 1c+4e i+10 4+10 4+14 8+1g c+b 1+f 1+7 1+2
  1+b 1+f 1+7 1+2 3+1g c+8n 9+m a+8 o+6 1+16 1+9 1x+6 2 1+18 1+2 3 2+n a+n 9+v 1t+j 1+2 a+m a+q 1y+1k 6+2 1s f+4 1+3 1+t 16+t 3+t z+8
  1+s r+1i a+m a+j d+i 32+21 1j+1f d+1f d+10 12+s 9+n 6y+16 6+2 g+3 1n+t a 8+m 16+i 1a+l r+n c+1h 1l+2 2 d+19 w+p q+10 t 2 8+z 3 c+1c
  e+4 l 1 z+i 1+p j+2 1r+7 1 1+4 1+f 1+a 7+1b 12+8 2+2 2+m 1+7 1+2 1+5 3 i c+5 u+a 1 2 1+12 1 p 1 18+1h i+4 k+3 u+1c k+2 1 54+1b 15+4
  10+1c k 1n+17 d 1z+r 11+7 55+18 38+1s v+8 2 2+8 1+2 1+o f 1 2m+8 2+13 g 1 s a+14 7 l b+1a j i+21 5j+x v+9 1+11 h 1d+u 34+7 1+2 1+12
  l p+6 1+2 1+w e 93+j f 1+d 1+y 3g 27+pm 6e+5g 218+2p f+ts h+6 p+32z 5+g7 5a1+u 1cy+ft 7+v h+27 h+u i+1c g+4 v+l 5+j c0+19 5v+1s
  3k+23 5 1u+d 1s+2 1 s+4qg 8+ye 15+a 6w7+4 1+7 1+2 1+83 f t+3 2 e+4 8+b0 1s4+2z 5+d 3+9 7+a 4me+2d 1+1z 1+2 2 2+2 2+4 1+c 1 1+7 1+1t
  1+4 2+8 1+7 1+s 1+4 1+5 1 3+7 1+9g 2+p 1+p 1+v 1+p 1+v 1+p 1+v 1+p 1+v 1+p 1+8 1f8+v 6+6 79+1q 42+19 a+7 g 8x+u i+18 dg+s 6c+u 2
  dr+7 1+4 1+2 1+f 1+5h 1n+1w 7 xg+4 1+r 1+2 1 2 1+a 1+4 1 1 6 4 1 1 1+3 1+2 1 2 1 1 1 1 1+2 1 2+4 1+7 1+4 1+4 1 1+a 1+h 5+3 1+5 1+h
  3es+wyo w+37e 6+66 2+4g2 e+5rl f+ha 1wi+f2 15u+3t7 5+38g`;
const numberRuns = `
  1c+a 3c+2 5 2+3 141+a 3q+a 5i+a bg+a 3a+a 4+6 30+a 3a+a 3a+a 2+6 32+d 37+a 8+7 2v+a 2w+7 7+j 31+a 2o+a 3a+a 1y+k 7g+a 1y+a jz+k oh+3
  6n+a 6+a m+a 8c+a 3k+b 4l+a 6+a 52+a 2e+a 3q+a 6+a t2 3+6 6+a 5i+1f 2+5 k6+1o 26+m hi+u 12h ll p+9 e+3 9j+4 3u+a u+8 1+f w+a 13+f
  msg+a 58+a 8w+6 4a+a 12+a 5i+a m+a 2e+a ba+a geu+a dp+19 c+1l h+2 9h+r 10+4 t 8 3q+5 5m+a q6+8 p+7 13+9 23+5 m+6 4g+2 2+g 2+1a 1s+9
  1g+2 u+3 23+5 2w+8 o+8 15+7 96+6 1c+a 6+a 7q+v 4e+a 16+4 34+7 3q+u 3k+a 1o+a 40+a 7+k 6z+a 9i+a 3a+a ae+a 2u+a 6+k 24+c bo+j 2l+a
  ie+a 2e+t 6b+a 1y+a bq+a 2u+l tn+33 c01+a 1t2+a 2e+a 3q+a 1+7 em+a 7a+n imx+a 152+k c+k 30+p ut+1e 1ts+a bq+a dy+a 6v+a jw+9 3k+a
  lz+1n 1+3 1+4 24+19 1+f qq+d 25f+a`;
