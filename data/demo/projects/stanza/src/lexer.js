import { ParseError } from "./errors.js";

const SECTION = /^\[\s*([A-Za-z0-9_-]+(?:\s*\.\s*[A-Za-z0-9_-]+)*)\s*\]$/;
const ENTRY = /^([A-Za-z0-9_-]+)(\[\])?(\s*=\s*)(.*)$/;

/**
 * Text to nodes, one per line. A node has `type`, `raw` (the line as written) and `line`, and
 * - section: `path`
 * - entry: `key`, `append`, `text` (the value as written), `comment` (with the white space before it, or "")
 * - continuation: `text`
 */
export function lex(source) {
  return source.split("\n").map((raw, index) => lexLine(raw, index + 1));
}

function lexLine(raw, line) {
  const trimmed = raw.trim();
  if (trimmed === "") return { type: "blank", raw, line };
  if (/^[ \t]/.test(raw)) return { type: "continuation", raw, line, text: trimmed };
  if (trimmed.startsWith("#") || trimmed.startsWith(";")) return { type: "comment", raw, line };

  if (trimmed.startsWith("[")) {
    const { text } = splitComment(trimmed);
    const match = SECTION.exec(text);
    if (match === null) throw new ParseError(`"${trimmed}" is not a section`, line);
    return { type: "section", raw, line, path: match[1].replace(/\s/g, "") };
  }

  const match = ENTRY.exec(trimmed);
  if (match === null) throw new ParseError(`expected "key = value", got "${trimmed}"`, line);
  const { text, comment } = splitComment(match[4]);
  return { type: "entry", raw, line, key: match[1], append: match[2] !== undefined, text, comment };
}

/** Parts a value from the comment behind it. */
export function splitComment(text) {
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (char === '"') quoted = !quoted;
    const isSign = char === "#" || char === ";";
    if (isSign && !quoted && (at === 0 || /\s/.test(text[at - 1]))) {
      const value = text.slice(0, at).trimEnd();
      return { text: value, comment: text.slice(value.length) };
    }
  }
  return { text: text.trimEnd(), comment: "" };
}
