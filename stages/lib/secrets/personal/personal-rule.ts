/** One kind of personal data; `find` is linear in the length of the text. */
export interface PersonalRule {
  find(text: string): { readonly start: number; readonly end: number }[];
}

/** Ranges of group 1 (or of all) of each match of a global pattern with the `d` flag that `keep` lets pass. */
export function rangesOf(pattern: RegExp, text: string, keep: (match: RegExpExecArray) => boolean): { start: number; end: number }[] {
  const ranges: { start: number; end: number }[] = [];
  for (const match of text.matchAll(pattern)) {
    const [start, end] = match.indices?.[1] ?? match.indices?.[0] ?? [0, 0];
    if (keep(match)) ranges.push({ start, end });
  }
  return ranges;
}
