import { remembered } from "./remembered.ts";

/**
 * JSON as text. Arguments of calls are kept as the model wrote them, because parsing would lose number lexemes, key order and repeated
 * keys; these helpers re-space and split such text without ever building an object from it.
 */

const gap = /[ \t\r\n]*/y;
/** Outside of strings: one punctuation mark, or a number or word. */
const bare = /[{}[\],:]|[-+.\w]+/y;

/** End of the string that opens at `start`. By hand, because a pattern that repeats over 20 million characters exhausts the engine's stack. */
function stringEnd(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at + 1;
}

function patternEnd(pattern: RegExp, text: string, start: number): number {
  pattern.lastIndex = start;
  pattern.exec(text);
  return pattern.lastIndex;
}

/** Pieces of a text that `isJson` has accepted. */
function* tokens(text: string): Generator<string> {
  let at = patternEnd(gap, text, 0);
  while (at < text.length) {
    const end = text[at] === '"' ? stringEnd(text, at) : patternEnd(bare, text, at);
    if (end <= at) throw new SyntaxError(`no JSON at character ${at}`);
    yield text.slice(at, end);
    at = patternEnd(gap, text, end);
  }
}

/** A JSON string as Python's `json.dumps(ensure_ascii=False)` writes it: only quotes, backslashes and controls are escaped. */
export const jsonString = (text: string): string => JSON.stringify(text.toWellFormed());

const respelled = (piece: string): string =>
  piece.startsWith('"') && piece.includes("\\") ? jsonString(JSON.parse(piece) as string) : piece;

/** Is it one JSON value? Deep nesting that the engine cannot parse counts as no. */
function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * The same value with Python's separators (`", "` and `": "`), as the Qwen2.5 chat template writes arguments; null when `text` is no JSON.
 * Numbers keep their lexeme, keys their order. Source: transformers `tojson` = json.dumps(ensure_ascii=False).
 */
export function spacedJson(text: string): string | null {
  if (!isJson(text)) return null;
  let out = "";
  for (const piece of tokens(text)) out += piece === "," ? ", " : piece === ":" ? ": " : respelled(piece);
  return out;
}

/** A tool's schema, spaced; what is no JSON stays as it is. */
export const spacedTool = remembered((tool) => spacedJson(tool) ?? tool);

export interface Member {
  readonly key: string;
  /** Raw JSON text of the value. */
  readonly value: string;
}

/** Members of a JSON object in order, values as raw text; null when `text` is no JSON object. */
export function jsonMembers(text: string): Member[] | null {
  if (!isJson(text) || !text.trimStart().startsWith("{")) return null;
  const members: Member[] = [];
  let depth = 0;
  let key: string | null = null;
  let value = "";
  const close = (): void => {
    if (key !== null) members.push({ key, value });
    key = null;
    value = "";
  };
  for (const piece of tokens(text)) {
    if (piece === "}" || piece === "]") depth -= 1;
    if (depth === 0) close();
    else if (depth === 1 && piece === ",") close();
    else if (depth === 1 && key === null && piece !== "{") key = JSON.parse(piece) as string;
    else if (!(depth === 1 && piece === ":" && value === "")) value += piece;
    if (piece === "{" || piece === "[") depth += 1;
  }
  return members;
}

/** The text of a string member, or null when it is absent or no string. */
export function stringMember(members: readonly Member[], key: string): string | null {
  const raw = members.findLast((member) => member.key === key)?.value;
  return raw?.startsWith('"') ? (JSON.parse(raw) as string) : null;
}

/** A JSON object from members, spaced. */
export const jsonObject = (members: readonly Member[]): string =>
  `{${members.map(({ key, value }) => `${jsonString(key)}: ${spacedJson(value) ?? value}`).join(", ")}}`;

/**
 * JSON text with each string replaced by what `map` makes of it; strings that stay the same keep their spelling, everything else keeps its
 * own. `key`: that of the member whose value the string is, else null. null when `text` is no JSON.
 */
export function mapJsonStrings(text: string, map: (string: string, key: string | null) => string): string | null {
  if (!isJson(text)) return null;
  let out = "";
  let at = 0;
  let before: string | null = null;
  let key: string | null = null;
  for (const piece of tokens(text)) {
    const start = text.indexOf(piece, at);
    out += text.slice(at, start);
    at = start + piece.length;
    if (piece.startsWith('"')) {
      const string = JSON.parse(piece) as string;
      const mapped = map(string, key);
      out += mapped === string ? piece : jsonString(mapped);
      before = string;
      key = null;
    } else {
      key = piece === ":" ? before : null;
      out += piece;
    }
  }
  return out + text.slice(at);
}
