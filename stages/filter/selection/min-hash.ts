import { decodedBase64, encodedBase64 } from "../../lib/secrets/base64.ts";

/**
 * MinHash (Broder 1997) of the shingles of a sequence of words, of which the low 16 bits are stored (b-bit minwise hashing, Li and König 2010:
 * twice as many values in the same space, at the price of 1 false match in 65,536). The share of equal values of two sketches
 * estimates the Jaccard similarity J of the two sets of shingles, with a standard error of sqrt(J (1 - J) / values): at 0.8 it is 0.035 for
 * 128 values and 0.05 for 64.
 */

/** Runs of this many words are compared, as in FineWeb's deduplication (datatrove `n_grams` 5). */
export const shingleWords = 5;
export const stepsSketchValues = 128;
export const taskSketchValues = 64;

/** The finalizer of MurmurHash3 (A. Appleby, public domain): every bit of the result hangs on every bit of `value`. */
function mixed(value: number): number {
  let hash = value;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** 2^32 / golden ratio: multiples of it lie evenly (Knuth, TAOCP 3, 6.4). */
const golden = 0x9e3779b1;

/** Of each hash function what its input is combined with. */
const seeds = Uint32Array.from({ length: stepsSketchValues }, (_, index) => mixed(Math.imul(index + 1, golden)));

/** The distinct shingles as 32-bit hashes; a sequence that is shorter than one is one itself. */
export function shinglesOf(words: readonly number[]): Set<number> {
  const shingles = new Set<number>();
  for (let start = 0; start === 0 || start + shingleWords <= words.length; start += 1) {
    let hash = 0;
    const end = Math.min(start + shingleWords, words.length);
    for (let at = start; at < end; at += 1) hash = Math.imul((hash << 5) ^ (hash >>> 27) ^ (words[at] ?? 0), golden);
    shingles.add(mixed(hash));
  }
  return shingles;
}

/** `values` numbers of 16 bits; null without a word. Work: shingles x values. */
export function minHash(words: readonly number[], values: number): Uint16Array | null {
  if (words.length === 0) return null;
  const least = new Uint32Array(values).fill(0xffffffff);
  const shingles = shinglesOf(words);
  for (const shingle of shingles)
    for (let index = 0; index < values; index += 1) {
      let hash = Math.imul(shingle ^ (seeds[index] as number), 0x85ebca6b);
      hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
      hash = (hash ^ (hash >>> 16)) >>> 0;
      if (hash < (least[index] as number)) least[index] = hash;
    }
  return Uint16Array.from(least, (value) => value & 0xffff);
}

/** As base64, low byte first. */
export function sketchText(sketch: Uint16Array | null): string | null {
  if (sketch === null) return null;
  let bytes = "";
  for (const value of sketch) bytes += String.fromCharCode(value & 0xff, value >>> 8);
  return encodedBase64(bytes);
}

/** Reads a stored sketch into `into`, from `at` on; false: it is none of this size. */
export function readSketch(text: string, into: Uint16Array, at: number, values: number): boolean {
  const bytes = decodedBase64(text);
  if (bytes?.length !== 2 * values) return false;
  for (let index = 0; index < values; index += 1) into[at + index] = bytes.charCodeAt(2 * index) | (bytes.charCodeAt(2 * index + 1) << 8);
  return true;
}
