import type { FoundCall } from "./assemble.ts";

/** A turn's text with its call taken out. */
export interface CutTurn {
  readonly thought: string;
  readonly call: FoundCall;
}

/** A JSON object, member by member: a key such as `__proto__` stays a key. */
export const objectText = (fields: readonly (readonly [string, unknown])[]): string =>
  `{${fields.map(([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)}`).join(", ")}}`;

const textCall = (name: string, fields: readonly (readonly [string, unknown])[]): FoundCall => ({
  id: null,
  key: null,
  name,
  arguments: objectText(fields),
});

export const commandCall = (name: string, command: string): FoundCall => textCall(name, [["command", command]]);

/**
 * Removes [start, end) and the whitespace around it; every other byte stays. With text on both sides, the whitespace before the block
 * stays as the separator.
 */
export function without(text: string, start: number, end: number): string {
  const before = text.slice(0, start);
  const after = text.slice(end).trimStart();
  if (after === "") return before.trimEnd();
  return before.trim() === "" ? after : before + after;
}

const functionBlock = /<function=([^>\n]+)>([\s\S]*?)<\/function>/;
const parameter = /<parameter=([^>\n]+)>([\s\S]*?)<\/parameter>/g;

/** Nothing after the last closing tag can be a call, and a look for one there would take quadratic time. */
function closedPart(text: string): string {
  const last = text.lastIndexOf("</function>");
  return last < 0 ? "" : text.slice(0, last + "</function>".length);
}

export const hasXmlCall = (text: string): boolean => functionBlock.test(closedPart(text));

/** Parameters whose schema is no string in the tools that are written this way; everything else stays the text it was. */
const typed = new Set(["view_range", "insert_line"]);

/**
 * The first `<function=name>` block, which is the one the scaffolds execute; further blocks stay in the text. A parameter's value loses
 * one line break at either end: the writers wrap long values in just these.
 */
export function cutXmlCall(text: string): CutTurn | null {
  const block = functionBlock.exec(closedPart(text));
  const name = block?.[1]?.trim();
  if (!block || !name) return null;
  const fields = [...(block[2] ?? "").matchAll(parameter)].map(([, key = "", value = ""]) => {
    const plain = value.replace(/^\n/, "").replace(/\n$/, "");
    return [key.trim(), typed.has(key.trim()) ? asJson(plain) : plain] as const;
  });
  return { thought: without(text, block.index, block.index + block[0].length), call: textCall(name, fields) };
}

function asJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "number" || Array.isArray(value) ? value : text;
  } catch {
    return text;
  }
}

const bashBlock = /```(?:bash|mswea_bash_command|sh|shell)[ \t]*\r?\n([\s\S]*?)\r?\n?```/g;

/** mini-swe-agent executes a reply with exactly one bash block and answers any other number with a format error. */
export function cutBashBlock(text: string): CutTurn | null {
  const blocks = [...text.matchAll(bashBlock)];
  const [block] = blocks;
  if (blocks.length !== 1 || !block) return null;
  return { thought: without(text, block.index, block.index + block[0].length), call: commandCall("bash", block[1] ?? "") };
}

const fence = /^```(\S*)[^\S\n]*\n|^```[^\S\n]*$/gm;

/**
 * The last complete code block of a SWE-agent reply, which is the one it executes. A fence with a language opens; a bare one closes what
 * is open, or else opens.
 */
export function cutLastFence(text: string): { readonly thought: string; readonly action: string } | null {
  const open: RegExpExecArray[] = [];
  let last: { readonly start: RegExpExecArray; readonly end: RegExpExecArray } | null = null;
  for (const found of text.matchAll(fence)) {
    const start = (found[1] ?? "") === "" ? open.pop() : undefined;
    if (start === undefined) {
      if (found[0].endsWith("\n")) open.push(found);
    } else if (open.length === 0) last = { start, end: found };
  }
  if (last === null) return null;
  const { start, end } = last;
  const thought = without(text, start.index, end.index + end[0].length);
  return { thought, action: text.slice(start.index + start[0].length, end.index) };
}

/** Commands of the SWE-agent 0.x interface, its CTF tools included; anything else typed there is shell. */
const interfaceCommands = new Set(
  (
    "open goto scroll_up scroll_down create edit insert append set_cursors submit search_dir search_file find_file exit_forfeit " +
    "decompile disassemble connect_start connect_sendline connect_exec connect_stop debug_start debug_add_breakpoint debug_continue " +
    "debug_step debug_exec debug_stop"
  ).split(" "),
);

export function actionCall(action: string): FoundCall {
  const command = action.replace(/\r?\n$/, "");
  const first = /^\s*(\S+)/.exec(command)?.[1] ?? "";
  if (first === "str_replace_editor") return editorCall(command) ?? commandCall("bash", command);
  return commandCall(interfaceCommands.has(first) ? first : "bash", command);
}

const editorOptions = new Set(["file_text", "old_str", "new_str", "insert_line", "view_range"]);

/** SWE-agent 1.x runs its editor as a shell command, `str_replace_editor view /testbed/a.py --view_range 1 20`. Null: no such plain command. */
function editorCall(command: string): FoundCall | null {
  const words = shellWords(command.trim());
  const [, verb, path, ...rest] = words ?? [];
  if (verb === undefined || path === undefined || verb.startsWith("-") || path.startsWith("-")) return null;
  const fields: [string, unknown][] = [
    ["command", verb],
    ["path", path],
  ];
  for (let at = 0; at < rest.length; ) {
    const option = /^--(\w+)$/.exec(rest[at] ?? "")?.[1] ?? "";
    const count = option === "view_range" ? 2 : 1;
    const values = rest.slice(at + 1, at + 1 + count);
    if (!editorOptions.has(option) || values.length < count) return null;
    if (option === "view_range" || option === "insert_line") {
      if (!values.every((value) => /^-?\d{1,9}$/.test(value))) return null;
      fields.push([option, count === 1 ? Number(values[0]) : values.map(Number)]);
    } else fields.push([option, values[0]]);
    at += 1 + count;
  }
  return textCall("str_replace_editor", fields);
}

/** Words of one simple command, quotes resolved as a shell does; null where it is more than that (a pipe, a variable, an open quote). */
function shellWords(command: string): string[] | null {
  const pieces = /[ \t]+|'([^']*)'|"((?:[^"\\$`]|\\[\s\S])*)"|\\([^\n])|([^\s'"\\|&;<>()$`#*?[\]{}~!]+)/y;
  const words: string[] = [];
  let word: string | null = null;
  while (pieces.lastIndex < command.length) {
    const found = pieces.exec(command);
    if (found === null) return null;
    const [, single, double, escaped, plain] = found;
    const piece = single ?? double?.replace(/\\([$`"\\\n])/g, (_, one: string) => (one === "\n" ? "" : one)) ?? escaped ?? plain;
    if (piece === undefined) {
      if (word !== null) words.push(word);
      word = null;
    } else word = (word ?? "") + piece;
  }
  if (word !== null) words.push(word);
  return words;
}

/**
 * The part of a SWE-agent reply that holds `action`: the last code fence or the `<command>` element. Where neither holds it, the
 * source's own split (`thought`) is used as it is.
 */
export function thoughtBefore(reply: string, action: string, thought: string | null): string {
  const wanted = action.trim();
  const blocks = [...reply.matchAll(/```[^\n`]*\n([\s\S]*?)\n?```/g), ...reply.matchAll(/<command>\s*([\s\S]*?)\s*<\/command>/g)];
  const block = blocks.filter((found) => found[1]?.trim() === wanted).at(-1);
  if (block) return without(reply, block.index, block.index + block[0].length);
  return thought ?? reply;
}
