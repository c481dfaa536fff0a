/** Shannon entropy of the characters of `text`, bits per character. */
export function entropyOf(text: string): number {
  const counts = new Map<number, number>();
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    counts.set(code, (counts.get(code) ?? 0) + 1);
  }
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}

const piece = /[A-Z]?[a-z]{3,}|[A-Z]{4,}/g;

/** Share of the letters of `text` that stand in what could be words: at least 4 letters of one case (or capitalised) with a vowel among them. */
export function wordShare(text: string): number {
  const letters = text.replace(/[^A-Za-z]+/g, "").length;
  if (letters === 0) return 0;
  const inWords = (text.match(piece) ?? []).filter((word) => word.length >= 4 && /[aeiouy]/i.test(word)).join("").length;
  return inWords / letters;
}

export const distinct = (text: string): number => new Set(text).size;

/** Kinds of characters: lower, upper, digit, other. */
const classesOf = (text: string): number => [/[a-z]/, /[A-Z]/, /\d/, /[^A-Za-z0-9]/].filter((set) => set.test(text)).length;

/** Threshold of gitleaks' generic rule for KEY=VALUE: 3.5 bits per character. Hex digits hold at most 4, so that 3. */
const minEntropy = 3.5;
const minHexEntropy = 3;
/** Keys in hex have 32 digits and more; 16 is what programs name things by. */
const minHexLength = 20;

/**
 * Could a machine have drawn this? At least 16 characters of high entropy that are no words: identifiers, paths and prose reach the same
 * entropy, but their letters come in words.
 */
export function looksRandom(value: string): boolean {
  if (value.length < 16 || !/\d/.test(value))
    return value.length >= 32 && classesOf(value) >= 2 && entropyOf(value) >= 4 && wordShare(value) < 0.3;
  if (/^[0-9a-fA-F]+$/.test(value)) return value.length >= minHexLength && /[a-fA-F]/.test(value) && entropyOf(value) >= minHexEntropy;
  return /[A-Za-z]/.test(value) && entropyOf(value) >= minEntropy && wordShare(value) < 0.5;
}

/** Shorter ones, where the name says that it is a password: three kinds of characters, a digit among them, and no words. */
export const looksLikePassword = (value: string): boolean =>
  looksRandom(value) || (value.length >= 8 && classesOf(value) >= 3 && /\d/.test(value) && distinct(value) >= 6 && wordShare(value) < 0.5);
