import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { EditorArguments } from "./policy.ts";
import { toReal, toShown, truncate, type Workspace } from "./workspace.ts";

/** Lines around an edit that the answer shows. */
const snippetLines = 4;

/** The text of each file before each edit, the last edit last. */
export type EditHistory = Map<string, string[]>;

/** `str_replace_editor` with the messages of OpenHands. Returns the observation. */
export function runEditor(workspace: Workspace, history: EditHistory, call: EditorArguments): string {
  const real = toReal(workspace, call.path);
  if (call.command === "create") return create(workspace, real, call.path, call.file_text);
  if (!existsSync(real))
    return `ERROR:\nInvalid \`path\` parameter: ${call.path}. The path ${call.path} does not exist. Please provide a valid path.`;
  if (call.command === "undo_edit") return undo(workspace, history, real, call.path);
  if (statSync(real).isDirectory()) return call.command === "view" ? viewFolder(real, call.path) : notAFile(call.command, call.path);

  const text = toShown(workspace, readFileSync(real, "utf8"));
  if (call.command === "view") return view(text, call.path, call.view_range);
  const edit =
    call.command === "insert"
      ? insert(text, call.path, call.insert_line, call.new_str)
      : replace(text, call.path, call.old_str, call.new_str);
  if (edit.text === null) return edit.message;
  history.set(real, [...(history.get(real) ?? []), readFileSync(real, "utf8")]);
  writeFileSync(real, toReal(workspace, edit.text));
  return edit.message;
}

type Edit = { text: string; message: string } | { text: null; message: string };

function create(workspace: Workspace, real: string, shown: string, text: string): string {
  if (existsSync(real)) {
    return `ERROR:\nInvalid \`path\` parameter: ${shown}. File already exists at: ${shown}. Cannot overwrite files using command \`create\`.`;
  }
  mkdirSync(dirname(real), { recursive: true });
  writeFileSync(real, toReal(workspace, text));
  return `File created successfully at: ${shown}`;
}

function view(text: string, path: string, range: [number, number] | undefined): string {
  const lines = text.split("\n");
  if (range === undefined) return truncate(`Here's the result of running \`cat -n\` on ${path}:\n${numbered(lines, 1)}\n`);
  const [first, last] = range;
  const end = last === -1 ? lines.length : last;
  if (first < 1 || first > lines.length || end < first || end > lines.length) {
    return `ERROR:\nInvalid \`view_range\` parameter: [${first}, ${last}]. It should be within the range of lines of the file: [1, ${lines.length}].`;
  }
  return truncate(`Here's the result of running \`cat -n\` on ${path}:\n${numbered(lines.slice(first - 1, end), first)}\n`);
}

function viewFolder(real: string, shown: string): string {
  const listed = listFolder(real, shown, 2);
  return `Here's the files and directories up to 2 levels deep in ${shown}, excluding hidden items:\n${[`${shown}/`, ...listed].join("\n")}`;
}

function listFolder(real: string, shown: string, depth: number): string[] {
  if (depth === 0) return [];
  return readdirSync(real, { withFileTypes: true })
    .filter((entry) => !entry.name.startsWith("."))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) =>
      entry.isDirectory()
        ? [`${shown}/${entry.name}/`, ...listFolder(join(real, entry.name), `${shown}/${entry.name}`, depth - 1)]
        : [`${shown}/${entry.name}`],
    );
}

function notAFile(command: string, path: string): string {
  return `ERROR:\nInvalid \`path\` parameter: ${path}. The path ${path} is a directory and only the \`view\` command can be used on directories, not \`${command}\`.`;
}

function replace(text: string, path: string, oldText: string, newText: string): Edit {
  const parts = text.split(oldText);
  if (parts.length === 1) {
    return { text: null, message: `ERROR:\nNo replacement was performed, old_str \`${oldText}\` did not appear verbatim in ${path}.` };
  }
  if (parts.length > 2) {
    const lines = parts.slice(0, -1).map((_, index) => lineOf(parts.slice(0, index + 1).join(oldText)));
    const where = `lines [${lines.join(", ")}]`;
    return {
      text: null,
      message: `ERROR:\nNo replacement was performed. Multiple occurrences of old_str \`${oldText}\` in ${where}. Please ensure it is unique.`,
    };
  }
  const [head = "", tail = ""] = parts;
  const edited = head + newText + tail;
  const snippet = around(edited, lineOf(head), newText.split("\n").length);
  return {
    text: edited,
    message: `The file ${path} has been edited. Here's the result of running \`cat -n\` on a snippet of ${path}:\n${snippet}\nReview the changes and make sure they are as expected. Edit the file again if necessary.`,
  };
}

function insert(text: string, path: string, afterLine: number, newText: string): Edit {
  const lines = text.split("\n");
  if (afterLine < 0 || afterLine > lines.length) {
    return {
      text: null,
      message: `ERROR:\nInvalid \`insert_line\` parameter: ${afterLine}. It should be within the range of lines of the file: [0, ${lines.length}].`,
    };
  }
  const added = newText.split("\n");
  const edited = [...lines.slice(0, afterLine), ...added, ...lines.slice(afterLine)].join("\n");
  const snippet = around(edited, afterLine + 1, added.length);
  return {
    text: edited,
    message: `The file ${path} has been edited. Here's the result of running \`cat -n\` on a snippet of the edited file:\n${snippet}\nReview the changes and make sure they are as expected (correct indentation, no duplicate lines, etc). Edit the file again if necessary.`,
  };
}

function undo(workspace: Workspace, history: EditHistory, real: string, shown: string): string {
  const versions = history.get(real) ?? [];
  const last = versions.at(-1);
  if (last === undefined) return `ERROR:\nNo edit history found for ${shown}.`;
  history.set(real, versions.slice(0, -1));
  writeFileSync(real, last);
  const lines = toShown(workspace, last).split("\n");
  return truncate(
    `Last edit to ${shown} undone successfully. Here's the result of running \`cat -n\` on ${shown}:\n${numbered(lines, 1)}\n`,
  );
}

/** 1-based number of the line on which the text ends. */
function lineOf(text: string): number {
  return text.split("\n").length;
}

function around(text: string, firstLine: number, count: number): string {
  const from = Math.max(1, firstLine - snippetLines);
  return numbered(text.split("\n").slice(from - 1, firstLine + count - 1 + snippetLines), from);
}

function numbered(lines: string[], first: number): string {
  return lines.map((line, index) => `${String(first + index).padStart(6)}\t${line}`).join("\n");
}
