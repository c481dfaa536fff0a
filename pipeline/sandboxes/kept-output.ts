import { isUtf8 } from "node:buffer";

/** Bytes of the character that begins with this byte; continuation bytes count 0. */
const lengthOf = (first: number): number => (first < 0x80 ? 1 : first < 0xc0 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4);

/** `bytes` without the beginning of a character whose rest was dropped. */
function wholeEnd(bytes: Buffer): Buffer {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const length = lengthOf(bytes[bytes.length - back] ?? 0);
    if (length > back) return bytes.subarray(0, bytes.length - back);
    if (length > 0) return bytes;
  }
  return bytes;
}

/** `bytes` without the rest of a character whose beginning was dropped. */
function wholeStart(bytes: Buffer): Buffer {
  let at = 0;
  while (at < 3 && at < bytes.length && lengthOf(bytes[at] ?? 0) === 0) at += 1;
  return bytes.subarray(at);
}

/**
 * Keeps at most `limit` bytes of a stream: the first half from its beginning, the other from its end. What lies between is gone
 * when it arrives, so that a flood costs time and no memory.
 */
export class KeptOutput {
  #head: Buffer[] = [];
  #headBytes = 0;
  #ring: Buffer | null = null;
  /** Bytes that ever went into the ring. */
  #ringBytes = 0;
  readonly #headLimit: number;
  readonly #tailLimit: number;

  constructor(limit: number) {
    this.#headLimit = Math.ceil(limit / 2);
    this.#tailLimit = Math.floor(limit / 2);
  }

  push(chunk: Buffer): void {
    const toHead = chunk.subarray(0, this.#headLimit - this.#headBytes);
    if (toHead.length > 0) this.#head.push(toHead);
    this.#headBytes += toHead.length;
    if (toHead.length < chunk.length) this.#pushTail(chunk.subarray(toHead.length));
  }

  #pushTail(chunk: Buffer): void {
    const size = this.#tailLimit;
    this.#ring ??= Buffer.allocUnsafe(size);
    const skipped = Math.max(0, chunk.length - size);
    const last = chunk.subarray(skipped);
    const at = size === 0 ? 0 : (this.#ringBytes + skipped) % size;
    const first = last.copy(this.#ring, at);
    last.copy(this.#ring, 0, first);
    this.#ringBytes += chunk.length;
  }

  #tail(): Buffer {
    const [ring, size] = [this.#ring, this.#tailLimit];
    if (ring === null) return Buffer.alloc(0);
    if (this.#ringBytes <= size) return ring.subarray(0, this.#ringBytes);
    const at = this.#ringBytes % size || 0;
    return Buffer.concat([ring.subarray(at), ring.subarray(0, at)]);
  }

  /** All bytes, where none was dropped. */
  get whole(): Buffer | null {
    return this.#ringBytes <= this.#tailLimit ? Buffer.concat([...this.#head, this.#tail()]) : null;
  }

  /** What was kept as text. A character cut by the dropping is dropped whole. */
  text(): { readonly text: string; readonly droppedBytes: number; readonly lossy: boolean } {
    const kept = this.whole ?? Buffer.concat([wholeEnd(Buffer.concat(this.#head)), wholeStart(this.#tail())]);
    return { text: kept.toString("utf8"), droppedBytes: this.#headBytes + this.#ringBytes - kept.length, lossy: !isUtf8(kept) };
  }
}
