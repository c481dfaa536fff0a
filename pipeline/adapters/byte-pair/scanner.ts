// biome-ignore-all lint/style/noNonNullAssertion: every index is inside its typed array by construction; a check per byte would cost more than the work

import { codePointKinds, composeLikeReference, endOfText, letter, newline, number, other, space } from "./characters.ts";

/** Cuts text into the pieces of the pre-tokenizer's pattern, byte by byte: no regular expression, no substring. */
export class PieceScanner {
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
