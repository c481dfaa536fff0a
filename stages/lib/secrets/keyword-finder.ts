/** A keyword found: which, and where it starts. */
export interface Hit {
  readonly keyword: number;
  readonly at: number;
}

export interface KeywordFinder {
  /** Calls `visit` for every keyword in `text` from left to right, upper and lower case alike; overlapping ones too. */
  each(text: string, visit: (keyword: number, at: number) => void): void;
}

const fold = (code: number): number => (code >= 65 && code <= 90 ? code + 32 : code);

/**
 * Finds a fixed set of ASCII keywords (at least 3 characters) in one pass: a table says whether any keyword starts with the two characters at
 * hand, and only then are words compared. Bounded work per character, whatever the text.
 */
export function createKeywordFinder(keywords: readonly string[]): KeywordFinder {
  const folded = keywords.map((keyword) => keyword.toLowerCase());
  for (const word of folded) if (!/^[\x21-\x7e ]{3,}$/.test(word)) throw new Error(`no keyword: ${JSON.stringify(word)}`);
  const buckets = new Map<number, number[]>();
  const pairs = new Uint8Array(128 * 128);
  for (const [index, word] of folded.entries()) {
    const [a, b, c] = [word.charCodeAt(0), word.charCodeAt(1), word.charCodeAt(2)];
    for (const one of casesOf(a)) for (const two of casesOf(b)) pairs[one * 128 + two] = 1;
    const key = (a * 128 + b) * 128 + c;
    const bucket = buckets.get(key);
    if (bucket === undefined) buckets.set(key, [index]);
    else bucket.push(index);
  }
  const third = new Uint8Array(128 * 128 * 128);
  for (const key of buckets.keys()) third[key] = 1;
  return {
    each(text, visit) {
      const last = text.length - 2;
      let a = text.charCodeAt(0);
      let b = text.charCodeAt(1);
      for (let at = 0; at < last; at += 1) {
        const c = text.charCodeAt(at + 2);
        if ((a | b | c) < 128 && pairs[(a << 7) | b] === 1) {
          const key = (((fold(a) << 7) | fold(b)) << 7) | fold(c);
          if (third[key] === 1) for (const index of buckets.get(key) ?? []) if (startsWith(text, at, folded[index] ?? "")) visit(index, at);
        }
        a = b;
        b = c;
      }
    },
  };
}

const casesOf = (code: number): number[] => (code >= 97 && code <= 122 ? [code, code - 32] : [code]);

function startsWith(text: string, at: number, word: string): boolean {
  if (at + word.length > text.length) return false;
  for (let index = 3; index < word.length; index += 1) if (fold(text.charCodeAt(at + index)) !== word.charCodeAt(index)) return false;
  return true;
}
