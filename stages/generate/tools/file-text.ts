const mark = "\ufeff";

/** A text file as the editor shows it; `written` gives back what it keeps out of sight. */
export interface FileText {
  readonly text: string;
  readonly hasMark: boolean;
  /** Every line ends in CRLF; `text` has LF alone. */
  readonly isCrlf: boolean;
}

/** Content as it stands on disk. null: no UTF-8, or holds a NUL as only binary files do. */
export function decoded(bytes: Uint8Array): string | null {
  try {
    const content = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return content.includes("\0") ? null : content;
  } catch {
    return null;
  }
}

export const encoded = (content: string): Uint8Array => new TextEncoder().encode(content);

/** A file that mixes line ends is shown as it is, since no rule could put them back. */
export function fileText(content: string): FileText {
  const hasMark = content.startsWith(mark);
  const isCrlf = content.includes("\r\n") && !/(?<!\r)\n/.test(content);
  const body = hasMark ? content.slice(mark.length) : content;
  return { text: isCrlf ? body.replaceAll("\r\n", "\n") : body, hasMark, isCrlf };
}

/** The content with `text` in place of the file's. */
export const written = (text: string, { hasMark, isCrlf }: FileText): string =>
  (hasMark ? mark : "") + (isCrlf ? text.replaceAll("\n", "\r\n") : text);

/** A text that the agent wrote, with the line ends that the file's shown text has. */
export const fitted = (text: string, { isCrlf }: FileText): string => (isCrlf ? text.replaceAll("\r\n", "\n") : text);

/** Lines without their ends. A newline ends a line: `a\n` has one, the empty text none. */
export const linesOf = (text: string): string[] => (text === "" ? [] : text.replace(/\n$/, "").split("\n"));

/** As `cat -n` numbers them. */
export const numbered = (lines: readonly string[], first: number): string =>
  lines.map((one, index) => `${String(first + index).padStart(6)}\t${one}`).join("\n");

/** Lines around an edit that its answer shows. */
const around = 4;

/** Lines [first, first + count) of the text, counted from 1, and their neighbours. */
export function snippet(text: string, first: number, count: number): string {
  const from = Math.max(1, first - around);
  return numbered(linesOf(text).slice(from - 1, first - 1 + count + around), from);
}
