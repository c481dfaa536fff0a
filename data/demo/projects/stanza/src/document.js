import { ParseError } from "./errors.js";
import { lex } from "./lexer.js";
import { formatValue, parseValue } from "./values.js";

/** A file that can be read, changed and written back. Lines that are not changed are written as they were. */
export class Document {
  #nodes;

  constructor(nodes) {
    this.#nodes = nodes;
  }

  /** `[{ path, value, append, line }]` in the order of the file. */
  entries() {
    const found = [];
    let section = "";
    this.#nodes.forEach((node, index) => {
      if (node.type === "section") section = node.path;
      if (node.type !== "entry") return;
      const path = section === "" ? node.key : `${section}.${node.key}`;
      found.push({ path, value: readEntry(this.#nodes, index), append: node.append, line: node.line });
    });
    return found;
  }

  /** The value of a key, or undefined. The last entry wins; `key[]` entries add up. */
  get(path) {
    let value;
    for (const entry of this.entries()) {
      if (entry.path !== path) continue;
      value = entry.append ? [...(Array.isArray(value) ? value : []), entry.value] : entry.value;
    }
    return value;
  }

  has(path) {
    return this.entries().some((entry) => entry.path === path);
  }

  /** Changes a value in place, or adds a line. */
  set(path, value) {
    const text = formatValue(value);
    const index = this.#find(path);
    if (index !== -1) {
      const node = this.#nodes[index];
      node.text = text;
      node.raw = `${node.key} = ${text}`;
      return;
    }
    const { section, key } = splitPath(path);
    const node = { type: "entry", raw: `${key} = ${text}`, line: null, key, append: false, text, comment: "" };
    this.#nodes.splice(this.#placeFor(section), 0, node);
  }

  /** Removes a key. Returns whether it was there. */
  unset(path) {
    const index = this.#find(path);
    if (index === -1) return false;
    this.#nodes.splice(index, 1);
    return true;
  }

  toObject() {
    const result = {};
    for (const { path, value, append } of this.entries()) assign(result, path, value, append);
    return result;
  }

  toString() {
    return this.#nodes.map((node) => node.raw).join("\n");
  }

  /** Index of the last entry with this path, or -1. */
  #find(path) {
    let section = "";
    let found = -1;
    this.#nodes.forEach((node, index) => {
      if (node.type === "section") section = node.path;
      if (node.type === "entry" && (section === "" ? node.key : `${section}.${node.key}`) === path) found = index;
    });
    return found;
  }

  /** Where a new entry of a section goes. Adds the section if there is none. */
  #placeFor(section) {
    if (section === "") {
      const first = this.#nodes.findIndex((node) => node.type === "section");
      return first === -1 ? this.#nodes.length : first;
    }
    const start = this.#nodes.findIndex((node) => node.type === "section" && node.path === section);
    if (start === -1) {
      this.#nodes.push({ type: "section", raw: `[${section}]`, line: null, path: section });
      return this.#nodes.length;
    }
    let end = start + 1;
    while (end < this.#nodes.length && this.#nodes[end].type !== "section") end += 1;
    return end;
  }
}

export function parse(source) {
  const nodes = lex(source);
  nodes.forEach((node, index) => {
    if (node.type === "continuation" && !hasEntryAbove(nodes, index)) {
      throw new ParseError("an indented line goes on with no value", node.line);
    }
  });
  const document = new Document(nodes);
  document.entries(); // a bad value is an error now, not at the first get
  return document;
}

function hasEntryAbove(nodes, index) {
  const above = nodes[index - 1];
  return above !== undefined && (above.type === "entry" || above.type === "continuation");
}

function readEntry(nodes, index) {
  const parts = [nodes[index].text];
  for (let at = index + 1; nodes[at]?.type === "continuation"; at += 1) parts.push(nodes[at].text);
  try {
    return parts.length === 1 ? parseValue(parts[0]) : parts.join("\n");
  } catch (error) {
    if (error instanceof ParseError && error.line === null) throw new ParseError(error.message, nodes[index].line);
    throw error;
  }
}

function assign(target, path, value, append) {
  const keys = path.split(".");
  const last = keys.pop();
  let at = target;
  for (const key of keys) {
    if (at[key] === null || typeof at[key] !== "object" || Array.isArray(at[key])) at[key] = {};
    at = at[key];
  }
  at[last] = append ? [...(Array.isArray(at[last]) ? at[last] : []), value] : value;
}

function splitPath(path) {
  const dot = path.lastIndexOf(".");
  return dot === -1 ? { section: "", key: path } : { section: path.slice(0, dot), key: path.slice(dot + 1) };
}
