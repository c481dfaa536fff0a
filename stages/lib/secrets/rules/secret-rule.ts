/** A secret in a text, as the half-open range of its characters. */
export interface Finding {
  /** Kebab-case, as it stands in placeholders and reasons. */
  readonly type: string;
  readonly start: number;
  readonly end: number;
  /** Drawn by a machine beyond doubt, so that the same characters are the same secret wherever else they stand. */
  readonly sure: boolean;
}

export interface Looked {
  readonly findings: readonly Finding[];
  /** Keywords of this rule before this place need no look of their own. */
  readonly until: number;
}

/**
 * One kind of secret, or one family of them. `keywords` (at least 3 ASCII characters, any case): each secret of the kind has one in or before
 * it. `look` judges the place where one stands and reads a bounded number of characters, or everything up to `until`: that is what keeps a
 * scan linear on any input.
 */
export interface SecretRule {
  readonly keywords: readonly string[];
  look(text: string, at: number, keyword: string): Looked | null;
}

export const one = (type: string, start: number, end: number, sure = true): Looked => ({
  findings: [{ type, start, end, sure }],
  until: 0,
});

/** Where `pattern` (sticky) matches at `at`, or null. */
export function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}
