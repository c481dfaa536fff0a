import { ParseError } from "./errors.js";

const WORDS = new Map([
  ["true", true],
  ["on", true],
  ["yes", true],
  ["false", false],
  ["off", false],
  ["no", false],
]);

const INTEGER = /^[+-]?\d+(?:_\d+)*$/;
const NUMBER = /^[+-]?(?:\d+\.\d+|\d+(?:\.\d+)?e[+-]?\d+)$/i;
const DURATION = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/;
const UNIT_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const ESCAPES = { "\\": "\\", '"': '"', n: "\n", r: "\r", t: "\t" };

/** Text of a value to the value. */
export function parseValue(text) {
  if (text.startsWith('"')) return parseQuoted(text);
  if (text.startsWith("[") && text.endsWith("]")) return splitItems(text.slice(1, -1)).map(parseValue);
  return parseBare(text);
}

function parseBare(text) {
  const word = WORDS.get(text.toLowerCase());
  if (word !== undefined) return word;
  if (INTEGER.test(text)) return Number(text.replaceAll("_", ""));
  if (NUMBER.test(text)) return Number(text);
  const duration = DURATION.exec(text);
  if (duration !== null) return Number(duration[1]) * UNIT_MS[duration[2]];
  return text;
}

function parseQuoted(text) {
  let value = "";
  for (let at = 1; at < text.length; at += 1) {
    const char = text[at];
    if (char === '"') {
      if (at !== text.length - 1) throw new ParseError(`text after the closing quote: ${text.slice(at + 1)}`);
      return value;
    }
    if (char !== "\\") {
      value += char;
      continue;
    }
    at += 1;
    if (text[at] === "u") {
      const digits = text.slice(at + 1, at + 5);
      if (!/^[0-9a-f]{4}$/i.test(digits)) throw new ParseError(`"\\u${digits}" is not an escape`);
      value += String.fromCharCode(Number.parseInt(digits, 16));
      at += 4;
      continue;
    }
    const escaped = ESCAPES[text[at]];
    if (escaped === undefined) throw new ParseError(`"\\${text[at] ?? ""}" is not an escape`);
    value += escaped;
  }
  throw new ParseError(`no closing quote: ${text}`);
}

/** The items of a list, split at commas outside of quotes. */
function splitItems(text) {
  if (text.trim() === "") return [];
  const items = [];
  let item = "";
  let quoted = false;
  for (const char of text) {
    if (char === '"') quoted = !quoted;
    if (char === "," && !quoted) {
      items.push(item.trim());
      item = "";
    } else {
      item += char;
    }
  }
  items.push(item.trim());
  return items;
}

/** A value to text that `parseValue` reads. */
export function formatValue(value) {
  if (Array.isArray(value)) return `[${value.map(formatValue).join(", ")}]`;
  if (typeof value === "string") return needsQuotes(value) ? quote(value) : value;
  if (typeof value === "boolean" || typeof value === "number") return String(value);
  throw new TypeError(`cannot write a value of type ${value === null ? "null" : typeof value}`);
}

function needsQuotes(text) {
  return text === "" || text !== text.trim() || /["\n,]/.test(text);
}

function quote(text) {
  return `"${text.replaceAll('"', '\\"').replaceAll("\n", "\\n")}"`;
}
