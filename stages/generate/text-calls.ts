import type { FoundCall } from "./assemble.ts";

/** A turn's text with its call taken out. */
export interface CutTurn {
  readonly thought: string;
  readonly call: FoundCall;
}

const textCall = (name: string, fields: readonly (readonly [string, unknown])[]): FoundCall => ({
  id: null,
  key: null,
  name,
  arguments: `{${fields.map(([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)}`).join(", ")}}`,
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
  return commandCall(interfaceCommands.has(first) ? first : "bash", command);
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
