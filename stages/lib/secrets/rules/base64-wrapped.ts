import { alignedBase64, decodedBase64 } from "../base64.ts";
import { base64Characters, base64UrlCharacters, type CharacterSet, within } from "../characters.ts";
import type { Finding, Looked, SecretRule } from "./secret-rule.ts";

/** How far to either side of a hint a run is decoded, characters. */
const reach = 4_096;
/** `base64` wraps at 76 columns, PEM at 64: a line break there is none of the text. */
const isWrapped = (columns: number): boolean => columns === 64 || columns === 76;

const newline = 10;

/** One line of a run. */
interface Line {
  readonly start: number;
  readonly end: number;
}

/** End of a run with its padding. */
const padded = (text: string, end: number): number => (text.startsWith("==", end) ? end + 2 : text[end] === "=" ? end + 1 : end);

/** The run of base64 around `at`, over wrapped lines. */
function linesAround(text: string, at: number, set: CharacterSet): Line[] {
  const lowest = Math.max(0, at - reach);
  const highest = Math.min(text.length, at + reach);
  const inSet = (index: number): boolean => within(set, text.charCodeAt(index));
  const backFrom = (index: number): number => {
    let start = index;
    while (start > lowest && inSet(start - 1)) start -= 1;
    return start;
  };
  const onFrom = (index: number): number => {
    let end = index;
    while (end < highest && inSet(end)) end += 1;
    return end;
  };
  const lines: Line[] = [{ start: backFrom(at), end: onFrom(at) }];
  for (;;) {
    const first = lines[0] ?? { start: at, end: at };
    if (first.start <= lowest || text.charCodeAt(first.start - 1) !== newline) break;
    const start = backFrom(first.start - 1);
    if (!isWrapped(first.start - 1 - start)) break;
    lines.unshift({ start, end: first.start - 1 });
  }
  for (;;) {
    const last = lines.at(-1) ?? { start: at, end: at };
    if (!isWrapped(last.end - last.start) || last.end >= highest || text.charCodeAt(last.end) !== newline) break;
    const end = onFrom(last.end + 1);
    // The last line of a text in base64 fills its groups of four.
    if (end === last.end + 1 || (!isWrapped(end - last.end - 1) && (padded(text, end) - last.end - 1) % 4 !== 0)) break;
    lines.push({ start: last.end + 1, end });
  }
  return lines;
}

/** A run that was cut at `reach` starts in the middle of a group: all four places are tried. */
function decodings(run: string): string[] {
  return [0, 1, 2, 3].flatMap((skip) => {
    const part = run.slice(skip);
    return decodedBase64(part.length % 4 === 1 ? part.slice(0, -1) : part) ?? [];
  });
}

/**
 * Secrets of other rules inside base64, as in manifests of Kubernetes, `base64 .env` and encoded headers. `hints`: texts that such secrets hold;
 * `holdsSecret`: does decoded text hold one?
 */
export function base64Wrapped(hints: readonly string[], holdsSecret: (text: string) => boolean): SecretRule {
  const keywords = [...new Set(hints.flatMap(alignedBase64))].filter((word) => word.length >= 4);
  return {
    keywords,
    look(text, at, keyword): Looked | null {
      if (!text.startsWith(keyword, at)) return null;
      for (const set of [base64Characters, base64UrlCharacters]) {
        const lines = linesAround(text, at, set);
        const until = lines.at(-1)?.end ?? at;
        const run = lines.map(({ start, end }) => text.slice(start, end)).join("");
        if (run.length < 16 || !decodings(run).some(holdsSecret)) {
          if (set === base64UrlCharacters) return { findings: [], until };
          continue;
        }
        const findings = lines.map(
          ({ start, end }): Finding => ({
            type: "base64-secret",
            start,
            end: padded(text, end),
            sure: end - start >= 16,
          }),
        );
        return { findings, until };
      }
      return null;
    },
  };
}
