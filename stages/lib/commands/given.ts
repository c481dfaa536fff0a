import { shellWord } from "../shell-quote.ts";

/**
 * Arguments of a call, read leniently: every product spells them its own way (`file_path`, `filePath`, `FilePath`), so keys are compared in
 * lower case and without `_` and `-`. A map, so that a key such as `__proto__` is a key like any other.
 */
export type Given = ReadonlyMap<string, unknown>;

/** A call as the tools see it. */
export interface ToolCall {
  /** As written. */
  readonly name: string;
  readonly given: Given;
  readonly result: string | null;
}

export const plainKey = (key: string): string => key.replace(/[_-]/g, "").toLowerCase();

/** Members of an object; nothing of anything else. */
export const membersOf = (value: unknown): Given =>
  new Map(
    typeof value === "object" && value !== null && !Array.isArray(value) ? Object.entries(value).map(([k, v]) => [plainKey(k), v]) : [],
  );

/** Members of arguments that are JSON text; nothing when they are no JSON, for then the tool did not understand them either. */
export function givenIn(text: string): Given {
  try {
    return membersOf(JSON.parse(text));
  } catch {
    return new Map();
  }
}

const firstText = (given: Given, keys: readonly string[]): string | null => {
  for (const key of keys) {
    const value = given.get(key);
    if (typeof value === "string") return value;
  }
  return null;
};

/** The first of these members that is a text. */
export const textIn = (given: Given, ...keys: readonly string[]): string | null => firstText(given, keys);

/** Keys of one file or folder, the most telling first: `find_file` has a `file_name` and a `dir`. */
const pathKeys = (
  "path filepath absolutepath notebookpath filename file targetfile relativepath relativeworkspacepath dirpath directorypath " +
  "dir directory scriptpath"
).split(" ");
const listKeys = ["paths", "filepaths", "files", "testfiles", "identifiedspans", "path", "include"];

/** The file or folder a call names first. */
export const pathIn = (given: Given): string | null => firstText(given, pathKeys) || null;

/** Files and folders a call names: one, or those of a list whose items are texts or have a path of their own. */
export function pathsIn(given: Given): string[] {
  const path = pathIn(given);
  if (path !== null) return [path];
  const list = listKeys.map((key) => given.get(key)).find((value) => Array.isArray(value)) as readonly unknown[] | undefined;
  return (list ?? []).flatMap((item) => (typeof item === "string" ? item : pathIn(membersOf(item))) || []);
}

const shellProgram = /(?:^|[\\/])(?:(?:ba|z|da|k)?sh|pwsh|powershell|cmd)(?:\.exe)?$/;

/** Words of a program call as a command line; what is given to a shell (`["bash", "-lc", "make"]`) is one already. */
function lineOf(words: readonly string[]): string {
  const flag = words.findIndex((word) => /^(?:-\w*c|\/c|-Command)$/.test(word));
  const script = flag > 0 && shellProgram.test(words[0] ?? "") ? words[flag + 1] : undefined;
  return script ?? words.map(shellWord).join(" ");
}

const isText = (value: unknown): value is string => typeof value === "string";

/** The command line of a call: a text, the words of a program call, or `commands`, one a line. Null: none is given. */
export function commandIn(given: Given, ...others: readonly string[]): string | null {
  for (const key of ["command", "cmd", "commandline", ...others]) {
    const value = given.get(key);
    if (isText(value)) return value;
    if (Array.isArray(value)) return lineOf(value.filter(isText));
  }
  const lines = given.get("commands");
  if (isText(lines)) return lines;
  if (!Array.isArray(lines)) return null;
  return lines.flatMap((line: unknown) => (isText(line) ? line : (commandIn(withoutLists(line)) ?? []))).join("\n");
}

/** Members of an item of `commands`, whose own `commands` are none: lists in lists have no end. */
const withoutLists = (item: unknown): Given => new Map([...membersOf(item)].filter(([key]) => key !== "commands"));
