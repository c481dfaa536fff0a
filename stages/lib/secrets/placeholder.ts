/**
 * What stands in the place of a secret: `[SECRET:github-token:1]`, numbered by value within a trajectory, so that equal values stay equal and
 * an edit still matches the file it was read from. Square brackets, because an unquoted `<` is a redirection to a shell and `{` an expansion,
 * and because nothing in it needs an escape in JSON, in quotes or in XML.
 */
export type PlaceholderKind = "SECRET" | "PERSONAL";

export const placeholderOf = (kind: PlaceholderKind, type: string, number: number): string => `[${kind}:${type}:${number}]`;

const pattern = /\[(SECRET|PERSONAL):([a-z][a-z0-9-]{0,40}):(\d{1,9})\]/g;

export interface Placeholder {
  readonly kind: PlaceholderKind;
  readonly type: string;
  readonly number: number;
  readonly start: number;
  readonly end: number;
}

/** Placeholders in `text`, in order. */
export function placeholdersIn(text: string): Placeholder[] {
  if (!text.includes("[SECRET:") && !text.includes("[PERSONAL:")) return [];
  return [...text.matchAll(pattern)].map((match) => ({
    kind: match[1] as PlaceholderKind,
    type: match[2] ?? "",
    number: Number(match[3]),
    start: match.index,
    end: match.index + match[0].length,
  }));
}
