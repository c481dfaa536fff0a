import type { Step } from "../../../schemas/trajectory.ts";

/**
 * Normalised words as 32-bit hashes. A word is a run of letters, digits and `_` (anything beyond ASCII counts as a letter), in small letters;
 * what differs between two runs of the same doings is made equal: a word of digits alone is `0` (line numbers, times, dates, sizes), one of 7
 * to 64 hex digits with a digit among them is `#` (commits, ids, digests), and all else between words (white space, punctuation, escapes)
 * is nothing.
 */

/** FNV-1a, 32 bits (Fowler, Noll, Vo). */
const offsetBasis = 0x811c9dc5;
const prime = 0x01000193;
/** Of any text; what is no word is hashed, too. */
export const textHash = (word: string): number => {
  let hash = offsetBasis;
  for (let at = 0; at < word.length; at += 1) hash = Math.imul(hash ^ word.charCodeAt(at), prime);
  return hash >>> 0;
};
const anyNumber = textHash("0");
const anyHexId = textHash("#");

/** Git shows 7 digits of a commit; SHA-256 has 64. */
const hexDigits = { least: 7, most: 64 };

const [between, digit, hexLetter, letter] = [0, 1, 2, 3];

/** Kinds of the first 128 code units; large letters fall together with small ones. */
const kinds = Uint8Array.from({ length: 128 }, (_, code) => {
  const char = String.fromCharCode(code).toLowerCase();
  if (/[0-9]/.test(char)) return digit;
  if (/[a-f]/.test(char)) return hexLetter;
  return /[g-z_]/.test(char) ? letter : between;
});

/** Appends the words of `text` to `words`; one pass. */
export function addWords(text: string, words: number[]): void {
  let hash = offsetBasis;
  let length = 0;
  let digits = 0;
  let letters = 0; // beyond f
  for (let at = 0; at <= text.length; at += 1) {
    const code = at < text.length ? text.charCodeAt(at) : 32;
    const kind = code < 128 ? (kinds[code] ?? between) : letter;
    if (kind !== between) {
      hash = Math.imul(hash ^ (code >= 65 && code <= 90 ? code + 32 : code), prime);
      length += 1;
      if (kind === digit) digits += 1;
      else if (kind === letter) letters += 1;
      continue;
    }
    if (length === 0) continue;
    const isHex = letters === 0 && digits > 0 && length >= hexDigits.least && length <= hexDigits.most;
    words.push(digits === length ? anyNumber : isHex ? anyHexId : hash >>> 0);
    hash = offsetBasis;
    length = digits = letters = 0;
  }
}

/** Where datasets keep the repository, besides what the task says: SWE-bench and R2E, OpenHands, and homes and scratch folders. */
const workFolders = /\/(?:testbed|repo|workspace\/[\w.-]{1,100}|home\/[\w.-]{1,60}|tmp\/[\w.-]{1,100})(?=[/\s"'`;&|)]|$)/g;

const withoutFolder = (text: string, workdir: string | null): string =>
  (workdir === null || workdir.length < 2 ? text : text.replaceAll(workdir, "")).replace(workFolders, "");

/** All strings in a call's arguments in the order in which they stand; what is no JSON is a text. */
function argumentTexts(raw: string): string[] {
  const texts: string[] = [];
  const walk = (value: unknown): void => {
    if (typeof value === "string") texts.push(value);
    else if (value !== null && typeof value === "object") for (const inner of Object.values(value)) walk(inner);
  };
  try {
    walk(JSON.parse(raw));
  } catch {
    texts.push(raw);
  }
  return texts;
}

/**
 * What an agent did: of each call its tool's name and the texts of its arguments, paths from the working directory on. Thoughts, results and
 * steps without a call are not in it: two runs that say different things and do the same are duplicates.
 */
export function stepWords(steps: readonly Step[], workdir: string | null): number[] {
  const words: number[] = [];
  for (const { calls } of steps)
    for (const call of calls) {
      addWords(call.name, words);
      for (const text of argumentTexts(call.arguments)) addWords(withoutFolder(text, workdir), words);
    }
  return words;
}

export function textWords(text: string): number[] {
  const words: number[] = [];
  addWords(text, words);
  return words;
}
