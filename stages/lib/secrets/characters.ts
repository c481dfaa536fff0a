/** Sets of ASCII characters as tables, for scanning runs without patterns that could back up. */
export type CharacterSet = Uint8Array;

export function characters(list: string): CharacterSet {
  const set = new Uint8Array(128);
  for (let index = 0; index < list.length; index += 1) set[list.charCodeAt(index)] = 1;
  return set;
}

const digits = "0123456789";
const lower = "abcdefghijklmnopqrstuvwxyz";
const upper = lower.toUpperCase();

export const alphanumeric = characters(digits + lower + upper);
export const wordCharacters = characters(`${digits}${lower}${upper}_`);
export const base64Characters = characters(`${digits}${lower}${upper}+/`);
export const base64UrlCharacters = characters(`${digits}${lower}${upper}_-`);

export const within = (set: CharacterSet, code: number): boolean => code < 128 && set[code] === 1;

/** End of the run of `set` that begins at `at`, at most `limit` characters on. */
export function runEnd(text: string, at: number, set: CharacterSet, limit: number): number {
  const stop = Math.min(text.length, at + limit);
  let end = at;
  while (end < stop && within(set, text.charCodeAt(end))) end += 1;
  return end;
}

/** Start of the run of `set` that ends before `at`, at most `limit` characters back. */
export function runStart(text: string, at: number, set: CharacterSet, limit: number): number {
  const stop = Math.max(0, at - limit);
  let start = at;
  while (start > stop && within(set, text.charCodeAt(start - 1))) start -= 1;
  return start;
}

/** A colour of a terminal: `ESC[01;32m`. */
function endsInColour(before: string): boolean {
  const opened = before.lastIndexOf("\u001b[");
  return opened >= 0 && /^[\d;]{0,12}m$/.test(before.slice(opened + 2));
}

/**
 * Does a word begin at `at`? What escapes leave in front of it is no part of a word: `\n` of JSON text, `%3D` of an address, `ESC[32m` of a
 * terminal.
 */
export function beginsWord(text: string, at: number): boolean {
  if (at === 0 || !within(wordCharacters, text.charCodeAt(at - 1))) return true;
  const before = text.slice(Math.max(0, at - 16), at);
  return /(?:\\[nrtbf]|\\u[0-9a-fA-F]{4}|%[0-9A-Fa-f]{2})$/.test(before) || endsInColour(before);
}

/** Does a word end at `at`? */
export const endsWord = (text: string, at: number): boolean => at >= text.length || !within(wordCharacters, text.charCodeAt(at));
