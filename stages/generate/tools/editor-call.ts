import { editorCommands, editorTool } from "../../lib/personas/paper-tools.ts";
import { lineRange, oneOf, readArguments, text, wholeNumber } from "./arguments.ts";
import type { ParsedArguments } from "./tool.ts";

export type EditorCall = { readonly path: string } & (
  | { readonly command: "view"; readonly range: readonly [number, number] | null }
  | { readonly command: "create"; readonly fileText: string }
  | { readonly command: "str_replace"; readonly oldText: string; readonly newText: string }
  | { readonly command: "insert"; readonly afterLine: number; readonly newText: string }
  | { readonly command: "undo_edit" }
);

const ofAll = { command: oneOf(editorCommands), path: text };
const ofSome = { file_text: text, old_str: text, new_str: text, insert_line: wholeNumber, view_range: lineRange };

const lacks = (command: string, name: string): ParsedArguments<EditorCall> => ({
  ok: false,
  why: `${editorTool.name} cannot be called like this: \`${command}\` needs "${name}" too`,
});

/** Arguments that only another command uses are no mistake. `str_replace` without `new_str` takes the old text out. */
export function parseEditorCall(json: string): ParsedArguments<EditorCall> {
  const parsed = readArguments(editorTool, json, ofAll, ofSome);
  if (!parsed.ok) return parsed;
  const { command, path, file_text, old_str, new_str, insert_line, view_range } = parsed.value;
  switch (command) {
    case "view":
      return { ok: true, value: { command, path, range: view_range } };
    case "create":
      return file_text === null ? lacks(command, "file_text") : { ok: true, value: { command, path, fileText: file_text } };
    case "str_replace":
      return old_str === null
        ? lacks(command, "old_str")
        : { ok: true, value: { command, path, oldText: old_str, newText: new_str ?? "" } };
    case "insert":
      if (insert_line === null) return lacks(command, "insert_line");
      return new_str === null
        ? lacks(command, "new_str")
        : { ok: true, value: { command, path, afterLine: insert_line, newText: new_str } };
    case "undo_edit":
      return { ok: true, value: { command, path } };
  }
}
