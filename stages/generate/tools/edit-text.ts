import { linesOf } from "./file-text.ts";

/** `first`, `count`: the lines that the edit wrote, counted from 1. */
export type TextEdit =
  | { readonly ok: true; readonly text: string; readonly first: number; readonly count: number }
  | { readonly ok: false; readonly why: string };

const lineBreaks = (text: string): number => text.split("\n").length - 1;
const lineAt = (text: string, at: number): number => lineBreaks(text.slice(0, at)) + 1;

/** Places more than this are not all named. */
const namedPlaces = 10;

function placesOf(text: string, part: string): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(part); at >= 0 && places.length <= namedPlaces; at = text.indexOf(part, at + 1)) places.push(at);
  return places;
}

const squeezed = (line: string): string => line.trim().replace(/\s+/g, " ");

/** First line from which the text says the same with other white space, or null. */
function sameWords(text: string, part: string): number | null {
  const wanted = linesOf(part.trim()).map(squeezed);
  const lines = linesOf(text).map(squeezed);
  if (wanted.length === 0) return null;
  const found = lines.findIndex((_, index) => wanted.every((line, offset) => lines[index + offset] === line));
  return found < 0 ? null : found + 1;
}

/** Why a text was most likely not found, where that can be seen. */
function hint(text: string, part: string): string {
  if (/^(?:[ \t]*\d+\t.*(?:\n|$))+$/.test(part)) return " Leave out the line numbers that `view` writes before each line.";
  const line = sameWords(text, part);
  if (line !== null) return ` Line ${line} and following differ from it in white space only.`;
  return /(?<!\r)\n/.test(text) && text.includes("\r\n")
    ? " The file mixes CRLF and LF line ends; edit single lines, or make them equal first."
    : "";
}

/** `part` gives way to `by` if it stands in the text exactly once; overlapping places count. */
export function replaceOnce(text: string, path: string, part: string, by: string): TextEdit {
  const none = "No replacement was performed";
  if (part === "") return { ok: false, why: `${none}. old_str is empty; use \`insert\` to add text, or \`create\` for a new file.` };
  if (part === by) return { ok: false, why: `${none}. old_str and new_str are the same.` };
  const places = placesOf(text, part);
  const [at] = places;
  if (at === undefined) return { ok: false, why: `${none}, old_str did not appear verbatim in ${path}.${hint(text, part)}` };
  if (places.length > 1) {
    const lines = [...new Set(places.slice(0, namedPlaces).map((place) => lineAt(text, place)))].join(", ");
    const more = places.length > namedPlaces ? " and further on" : "";
    return {
      ok: false,
      why: `${none}. Multiple occurrences of old_str in lines [${lines}]${more}. Add lines around it until it is unique.`,
    };
  }
  const edited = text.slice(0, at) + by + text.slice(at + part.length);
  return { ok: true, text: edited, first: lineAt(text, at), count: lineBreaks(by) + 1 };
}

/** `added` becomes lines of its own behind line `after`. Whether the last line ends in a newline does not change; in an empty file it then does. */
export function insertAfter(text: string, after: number, added: string): TextEdit {
  const lines = linesOf(text);
  if (after < 0 || after > lines.length)
    return {
      ok: false,
      why: `Invalid \`insert_line\` parameter: ${after}. It should be within the range of lines of the file: [0, ${lines.length}].`,
    };
  const own = added.split("\n");
  const end = text === "" || text.endsWith("\n") ? "\n" : "";
  return {
    ok: true,
    text: [...lines.slice(0, after), ...own, ...lines.slice(after)].join("\n") + end,
    first: after + 1,
    count: own.length,
  };
}

/** The lines in which `text` differs from `other`, from the first to the last. */
export function changedLines(text: string, other: string): { readonly first: number; readonly count: number } {
  const [lines, others] = [linesOf(text), linesOf(other)];
  let head = 0;
  while (head < Math.min(lines.length, others.length) && lines[head] === others[head]) head += 1;
  let tail = 0;
  while (tail < Math.min(lines.length, others.length) - head && lines.at(-1 - tail) === others.at(-1 - tail)) tail += 1;
  return { first: head + 1, count: lines.length - head - tail };
}
