import { editorTool } from "../../lib/personas/paper-tools.ts";
import { changedLines, insertAfter, replaceOnce, type TextEdit } from "./edit-text.ts";
import { type EditorCall, parseEditorCall } from "./editor-call.ts";
import { decoded, encoded, type FileText, fileText, fitted, linesOf, numbered, snippet, written } from "./file-text.ts";
import { rememberEdit } from "./state.ts";
import { type AgentTool, type Observation, refused, succeeded, type ToolContext } from "./tool.ts";
import { truncate } from "./truncate.ts";
import { viewFolder } from "./view-folder.ts";

const badPath = (path: string, why: string): Observation => refused(`Invalid \`path\` parameter: ${path}. ${why}`);

/** One spelling of a path for the history; links are not followed. */
const nameOf = (path: string): string => path.replace(/\/(?:\.?\/)+/g, "/").replace(/(?<=.)\/\.?$/, "");

async function notAbsolute(path: string, { sandbox, limits }: ToolContext): Promise<Observation> {
  const { output, exitCode } = await sandbox.exec("command pwd", { timeoutMs: limits.commandTimeoutMs, outputBytes: 4_096 });
  const folder = output.trimEnd();
  const meant = exitCode === 0 && folder.startsWith("/") && !path.startsWith("~") ? ` such as ${nameOf(`${folder}/${path}`)}` : "";
  return badPath(path, `It should be an absolute path${meant}.`);
}

type Opened = { readonly content: string } | { readonly refusal: Observation } | "folder";

/** The file's content as it stands on disk, or why the editor cannot open it. */
async function open(path: string, { sandbox, limits }: ToolContext): Promise<Opened> {
  const got = await sandbox.get(path, limits.fileBytes);
  if (!got.ok && got.why === "folder") return "folder";
  const content = got.ok ? decoded(got.bytes) : null;
  if (content !== null) return { content };
  const whys = {
    missing: badPath(path, `The path ${path} does not exist. Please provide a valid path.`),
    special: badPath(path, "It is neither a regular file nor a directory."),
    denied: badPath(path, "Permission denied."),
    "too-large": refused(
      `${path} has more than ${limits.fileBytes} bytes. Look at parts of it with execute_bash, e.g. \`sed -n 1,100p\` or \`grep -n\`.`,
    ),
    binary: refused(`${path} is binary or no UTF-8 text. Look at it with execute_bash, e.g. \`file\` or \`od -c\`.`),
  };
  return { refusal: whys[got.ok ? "binary" : got.why === "folder" ? "special" : got.why] };
}

/** Null: written. */
async function save(path: string, content: string, { sandbox, limits }: ToolContext): Promise<Observation | null> {
  const bytes = encoded(content);
  if (bytes.length > limits.fileBytes)
    return refused(
      `${path} would have ${bytes.length} bytes, more than the ${limits.fileBytes} that the editor opens. Nothing was written.`,
    );
  const put = await sandbox.put(path, bytes);
  return put.ok ? null : refused(`${path} could not be written: ${put.why}.`);
}

async function create(path: string, content: string, context: ToolContext): Promise<Observation> {
  const there = await context.sandbox.get(path, 0);
  if (there.ok || there.why !== "missing")
    return badPath(path, `File already exists at: ${path}. Cannot overwrite files using command \`create\`.`);
  const failure = await save(path, content, context);
  if (failure !== null) return failure;
  context.state.edits.delete(nameOf(path));
  return succeeded(`File created successfully at: ${path}`);
}

function view(path: string, content: string, range: readonly [number, number] | null): Observation {
  const lines = linesOf(fileText(content).text);
  if (lines.length === 0) return succeeded(`The file ${path} is empty.`);
  const [first, last] = range ?? [1, -1];
  const end = last === -1 ? lines.length : Math.min(last, lines.length);
  if (first < 1 || end < first)
    return refused(
      `Invalid \`view_range\` parameter: [${first}, ${last}]. It should be within the range of lines of the file: [1, ${lines.length}]; -1 stands for the last line.`,
    );
  const note = last > lines.length ? `\n[The file ends with line ${lines.length}.]` : "";
  return succeeded(`Here's the result of running \`cat -n\` on ${path}:\n${numbered(lines.slice(first - 1, end), first)}${note}`);
}

const editedSnippet = (path: string, edit: { text: string; first: number; count: number }): string =>
  `Here's the result of running \`cat -n\` on a snippet of ${path}:\n${snippet(edit.text, edit.first, edit.count)}`;

async function change(path: string, before: string, edit: (file: FileText) => TextEdit, context: ToolContext): Promise<Observation> {
  const file = fileText(before);
  const edited = edit(file);
  if (!edited.ok) return refused(edited.why);
  const after = written(edited.text, file);
  const failure = await save(path, after, context);
  if (failure !== null) return failure;
  rememberEdit(context.state, nameOf(path), { before, after });
  return succeeded(
    `The file ${path} has been edited. ${editedSnippet(path, edited)}\nReview the changes, and edit again or undo them if they are not as meant.`,
  );
}

/** Takes the last edit back, and nothing else: what commands changed since is not lost by it. */
async function undo(path: string, content: string, context: ToolContext): Promise<Observation> {
  const edits = context.state.edits.get(nameOf(path)) ?? [];
  const last = edits.at(-1);
  if (last === undefined) return refused(`No edit history found for ${path}.`);
  if (last.after !== content)
    return refused(`The last edit to ${path} cannot be undone: something else has changed the file since. Edit it as it is now.`);
  const failure = await save(path, last.before, context);
  if (failure !== null) return failure;
  context.state.edits.set(nameOf(path), edits.slice(0, -1));
  const { text } = fileText(last.before);
  return succeeded(
    `Last edit to ${path} undone successfully. ${editedSnippet(path, { text, ...changedLines(text, fileText(content).text) })}`,
  );
}

async function answer(call: EditorCall, context: ToolContext): Promise<Observation> {
  const { command, path } = call;
  if (command === "create") return create(path, call.fileText, context);
  const opened = await open(path, context);
  if (opened === "folder")
    return command === "view"
      ? viewFolder(path, context)
      : badPath(path, `The path ${path} is a directory and only the \`view\` command can be used on directories.`);
  if ("refusal" in opened) return opened.refusal;
  const { content } = opened;
  switch (command) {
    case "view":
      return view(path, content, call.range);
    case "str_replace":
      return change(path, content, (file) => replaceOnce(file.text, path, fitted(call.oldText, file), fitted(call.newText, file)), context);
    case "insert":
      return change(path, content, (file) => insertAfter(file.text, call.afterLine, fitted(call.newText, file)), context);
    case "undo_edit":
      return undo(path, content, context);
  }
}

/** Views and edits through the sandbox alone. Its messages begin as those of OpenHands' editor do, which imported runs are full of. */
export const strReplaceEditor: AgentTool<EditorCall> = {
  name: editorTool.name,
  schema: editorTool.schema,
  parse: parseEditorCall,
  run: async (call, context) => {
    const observation = call.path.startsWith("/") ? await answer(call, context) : await notAbsolute(call.path, context);
    return { ...observation, text: truncate(observation.text, context.limits.observationChars) };
  },
};
