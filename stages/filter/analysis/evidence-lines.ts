/** Steps named per case: enough to see what the number stands for. Our choice. */
export const mostSteps = 4;
/** Characters of a line of a step: a terminal's width and a half. Our choice. */
const longestLine = 150;

/** A text on one line, its beginning if it is long. */
export function oneLine(text: string, most = longestLine): string {
  const flat = text
    .slice(0, 4 * most)
    .replace(/\s+/g, " ")
    .trim(); // no more than that is looked at, however long the text
  return flat.length <= most ? flat : `${flat.slice(0, most - 1)}…`;
}

/** As many lines as are named per case; where there are more, the last says how many. */
export const counted = (lines: readonly string[]): string[] => countedOf(lines, (line) => line);

/** The same for what is yet to be put in words, which is done for those shown alone. */
export const countedOf = <T>(items: readonly T[], lineOf: (item: T) => string, most = mostSteps): string[] =>
  items.length <= most ? items.map(lineOf) : [...items.slice(0, most - 1).map(lineOf), `and ${items.length - most + 1} more`];

/** Characters shown on either side of what was found in a text. Our choice. */
const around = 40;

/** The words around a place of a text, in quotes. */
export const wordsAt = (text: string, at: number): string =>
  JSON.stringify(oneLine(text.slice(Math.max(0, at - around), at + around)).toWellFormed());
