import type { Placeholder, PlaceholderKind } from "./placeholder.ts";

/** A place in a text; ranges of one text do not overlap and come in order. */
export interface Found {
  readonly kind: PlaceholderKind;
  readonly type: string;
  readonly start: number;
  readonly end: number;
  /** The same characters are the same secret wherever else they stand. */
  readonly sure: boolean;
}

/** In order, and overlapping ones as one: named by the first, but a secret names it before anything personal. */
export function united(found: Found[]): Found[] {
  found.sort((a, b) => a.start - b.start || b.end - a.end);
  const out: Found[] = [];
  for (const next of found) {
    const last = out.at(-1);
    if (last === undefined || next.start >= last.end) {
      out.push(next);
      continue;
    }
    const named = last.kind === "PERSONAL" && next.kind === "SECRET" ? next : last;
    out[out.length - 1] = { ...named, start: last.start, end: Math.max(last.end, next.end) };
  }
  return out;
}

/** Without what lies in a placeholder or reaches into one: it has been replaced before. */
export function outside(found: Found[], placeholders: readonly Placeholder[]): Found[] {
  if (placeholders.length === 0) return found;
  let next = 0;
  return found.filter(({ start, end }) => {
    while (next < placeholders.length && (placeholders[next]?.end ?? 0) <= start) next += 1;
    return (placeholders[next]?.start ?? end) >= end;
  });
}
