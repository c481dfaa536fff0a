import { type Intent, intent } from "./intent.ts";

/** The agent-computer interface of SWE-agent: commands of one word, with arguments in a syntax of their own or as native calls. */

/** The file that SWE-agent's editor has open, as its answer states. */
function openFile(result: string | null): string | null {
  const pattern = /\[File: ([^\s()]{1,300}) \(\d+ lines total\)\]|\(Open file: ([^\s()]{1,300})\)/;
  const found = pattern.exec(result?.slice(0, 4_000) ?? "") ?? pattern.exec(result?.slice(-2_000) ?? "");
  return found?.[1] ?? found?.[2] ?? null;
}

const explores = new Set([
  "open",
  "goto",
  "scroll_down",
  "scroll_up",
  "search_dir",
  "search_file",
  "find_file",
  "filemap",
  "decompile",
  "disassemble",
]);
const edits = new Set(["edit", "create", "insert", "append"]);

export const aciCommands: readonly string[] = [...explores, ...edits];

/** `edit 3:5 ... end_of_edit`, `open a.py 12`; `text` is null where the call has arguments instead, of which `path` is the file. */
export function aciIntent(name: string, text: string | null, path: string | null, result: string | null): Intent {
  const [line = name] = (text ?? `${name} ${path ?? ""}`).split("\n", 1);
  const words = line.trim().split(/\s+/).slice(1);
  const named = path ?? words.find((word) => /[./]/.test(word) && !/^[\d:.]+$/.test(word))?.replace(/^(["'])(.*)\1$/, "$2") ?? null;
  if (name === "create") return intent("edit", line, named === null ? words.slice(0, 1) : [named]);
  if (explores.has(name)) return intent("explore", line, [], named === null || named.includes("*") ? [] : [named]);
  const file = named ?? openFile(result);
  return intent("edit", line, file === null ? [] : [file]);
}
