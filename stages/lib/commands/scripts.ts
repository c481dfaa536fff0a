import { type Given, plainKey } from "./given.ts";
import { noFile } from "./shell.ts";

const target = String.raw`(?:[rbuf]?['"]([^'"\n]{1,300})['"]|([A-Za-z_]\w{0,60}))`;
const opened = new RegExp(String.raw`\bopen\(\s{0,4}${target}\s{0,4},\s{0,4}(?:mode\s{0,2}=\s{0,2})?['"](?:[wax]|r\+)`, "g");
const pathWritten = new RegExp(String.raw`\bPath\(\s{0,4}${target}\s{0,4}\)\.write_(?:text|bytes)\(`, "g");
const nodeWritten = new RegExp(String.raw`\b(?:writeFileSync|writeFile|appendFileSync)\(\s{0,4}${target}`, "g");

/** Files that a script opens for writing, best effort: literal names, and names of variables that are assigned a literal. */
export function writtenByScript(script: string): string[] {
  const text = script.slice(0, 200_000);
  const files = new Set<string>();
  const literals = new Map<string, string>();
  for (const found of text.matchAll(/\b([A-Za-z_]\w{0,60})\s{0,4}=\s{0,4}(?:Path\(|pathlib\.Path\()?[rbuf]?(['"])([^'"\n]{1,300})\2/g))
    literals.set(found[1] ?? "", found[3] ?? "");
  const named = (literal: string | undefined, name: string | undefined): void => {
    const file = literal ?? literals.get(name ?? "");
    if (file !== undefined && !noFile.test(file)) files.add(file);
  };
  for (const found of text.matchAll(opened)) named(found[1], found[2]);
  for (const found of text.matchAll(pathWritten)) named(found[1], found[2]);
  for (const found of text.matchAll(/\b([A-Za-z_]\w{0,60})\.write_(?:text|bytes)\(/g)) named(undefined, found[1]);
  for (const found of text.matchAll(nodeWritten)) named(found[1], found[2]);
  return [...files];
}

/** A call of a tool as a line of Python, `edit_file(path="a.py", ...)`: some agents have their tools as functions of a notebook. */
export interface ScriptCall {
  readonly name: string;
  readonly given: Given;
}

const head = /^(?:[A-Za-z_]\w{0,60}\s{0,2}=\s{0,2})?(?:print\()?([a-z]\w{0,60})\(/gm;
const keyword = /[\s,]*(?:([A-Za-z_]\w{0,60})\s{0,4}=\s{0,4})?/y;
const opening = /[rbuf]{0,2}("""|'''|"|')/iy;
const bareValue = /[^\s,()'"]+/y;
const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", "\\": "\\", "'": "'", '"': '"', "\n": "" };

const matchAt = (pattern: RegExp, text: string, at: number): RegExpExecArray | null => {
  pattern.lastIndex = at;
  return pattern.exec(text);
};

/** End of a string's text that starts at `at`; the end of the script where it is not closed. */
function textEnd(script: string, at: number, quote: string): number {
  let end = at;
  while (end < script.length && !script.startsWith(quote, end)) end += script[end] === "\\" ? 2 : 1;
  return Math.min(end, script.length);
}

/** What the first values without a keyword are, by what the tools that are called in this way take. */
function positions(name: string): readonly string[] {
  if (/^(?:search|find|grep)_/.test(name)) return ["query", "path"];
  return /bash|shell|command/.test(name) ? ["command"] : ["path"];
}

/** Texts among the arguments of a call, from behind its bracket; other values are left out, and what is nested ends it. */
function argumentsAt(script: string, start: number, names: readonly string[]): { readonly given: Given; readonly end: number } {
  const given = new Map<string, unknown>();
  let place = 0;
  let at = start;
  while (at < script.length) {
    const before = matchAt(keyword, script, at);
    at += before?.[0].length ?? 0;
    const key = before?.[1] ?? names[place];
    if (before?.[1] === undefined) place += 1;
    const quote = matchAt(opening, script, at);
    if (quote === null) {
      const value = matchAt(bareValue, script, at);
      if (value === null) break;
      at += value[0].length;
      continue;
    }
    const from = at + quote[0].length;
    const to = textEnd(script, from, quote[1] ?? "");
    const text = script.slice(from, to).replace(/\\([\s\S])/g, (all, kept: string) => escapes[kept] ?? all);
    if (key !== undefined) given.set(plainKey(key), text);
    at = to + (quote[1]?.length ?? 1);
  }
  return { given, end: at };
}

/** Calls at the beginning of a line, in order, in the first 200,000 characters. Linear. */
export function callsIn(script: string): ScriptCall[] {
  const text = script.slice(0, 200_000);
  const calls: ScriptCall[] = [];
  head.lastIndex = 0;
  for (let found = head.exec(text); found !== null; found = head.exec(text)) {
    const name = found[1] ?? "";
    const { given, end } = argumentsAt(text, head.lastIndex, positions(name));
    calls.push({ name, given });
    head.lastIndex = end;
  }
  return calls;
}
