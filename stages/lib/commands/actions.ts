import { jsonMembers, stringMember } from "../json-text.ts";
import { type Role, rolesOf } from "./programs.ts";
import {
  bodyOf,
  endsInTraceback,
  errorLine,
  failingTests,
  isBareError,
  signatureOf,
  statedExitCode,
  type TestResult,
  testSummary,
} from "./results.ts";
import { parseShell, type SimpleCommand } from "./shell.ts";

/** A call with its answer: what `Call` of a trajectory and `RenderedCall` of a rendered one share. */
export interface AnsweredCall {
  readonly name: string;
  readonly arguments: string;
  readonly result: string | null;
  readonly exitCode: number | null;
  readonly failed: boolean | null;
}

export type ActionKind = "explore" | "edit" | "test" | "run" | "version-control" | "submit" | "think" | "other";

/** What a call did, read from its command and its answer. Every text in here is a piece of the input, whitespace and cuts apart. */
export interface Action {
  readonly kind: ActionKind;
  /** Files edited, created, moved or removed, as written in the call; whether they were, `changesFiles` tells. */
  readonly files: readonly string[];
  /** Files and folders shown or searched, as written. */
  readonly reads: readonly string[];
  /** Does it run tests? Also true where the same command edits first. */
  readonly tests: boolean;
  readonly failed: boolean;
  /** One spelling per failure (type and message without numbers, paths, times); null when it did not fail or says nothing. */
  readonly signature: string | null;
  /** The line that says what went wrong, as printed; null as for `signature`. */
  readonly error: string | null;
  /** Short form on one line: without `cd X &&` in front and without here-documents. */
  readonly command: string;
  readonly testResult: TestResult | null;
  /** The line of the test runner that states the counts. */
  readonly summary: string | null;
  /** Names of failing tests as printed. */
  readonly failing: readonly string[];
}

/** What the call asks for, before the answer is looked at. */
type Intent = Pick<Action, "kind" | "files" | "reads" | "tests" | "command"> & {
  /** May an exit code of 0 hide a failure (pipe, `|| true`, `;`)? */
  readonly masked: boolean;
};

const longestCommand = 160;

/** `text` on one line, cut at a space where one is near; ends in " …" when cut. */
export function shortened(text: string, most: number): string {
  const line = text
    .slice(0, 4 * most + 200)
    .replace(/\s+/g, " ")
    .trim()
    .toWellFormed();
  if (line.length <= most && text.length <= 4 * most + 200) return line;
  const piece = line.slice(0, most - 2);
  const space = piece.lastIndexOf(" ");
  return `${(space > most / 2 ? piece.slice(0, space) : piece).replace(/[\ud800-\udbff]$/, "").trimEnd()} …`;
}

const unique = (items: Iterable<string>): string[] => [...new Set(items)];

const writesText = (command: SimpleCommand): boolean => command.heredoc !== null && /^(?:cat|tee)$/.test(command.words[0] ?? "");

/** Ways there, and files that are written first, are left out: their text is not shown anyhow. */
function shortCommand(commands: readonly SimpleCommand[], kind: ActionKind, text: string): string {
  const follows = kind === "run" || kind === "test";
  const first = commands.findIndex(
    (command) => !(/^(?:cd|export|source|\.|set|true|:)$/.test(command.words[0] ?? ":") || (follows && writesText(command))),
  );
  if (first < 0) return shortened(text, longestCommand);
  let line = "";
  for (const command of commands.slice(first)) {
    const by = line === "" ? "" : command.joint === ";" ? "; " : ` ${command.joint} `;
    line += `${by}${command.text.replace(/\\\r?\n/g, " ")}`;
    if (line.length > 4 * longestCommand) break;
  }
  return shortened(line, longestCommand);
}

/** In order of what the answer is about: a script that is written and run at once is a run. `quiet` alone is a look around. */
const kinds: readonly (readonly [Role["kind"], ActionKind])[] = [
  ["submit", "submit"],
  ["test", "test"],
  ["run", "run"],
  ["edit", "edit"],
  ["tidy", "edit"],
  ["version-control", "version-control"],
  ["explore", "explore"],
  ["quiet", "explore"],
];

function shellIntent(text: string): Intent {
  const commands = parseShell(text);
  const roles = commands.flatMap((command) => rolesOf(command));
  const kind = kinds.find(([one]) => roles.some((role) => role.kind === one))?.[1] ?? "other";
  const own = commands.slice(commands.findIndex((command) => command.words[0] !== "cd"));
  return {
    kind,
    files: unique(roles.flatMap((role) => role.files)),
    reads: unique(roles.flatMap((role) => role.reads)),
    tests: roles.some((role) => role.kind === "test"),
    command: shortCommand(commands, kind, text),
    masked: own.slice(1).some((command) => command.joint !== "&&"),
  };
}

const intent = (kind: ActionKind, command: string, files: readonly string[] = [], reads: readonly string[] = []): Intent => ({
  kind,
  files,
  reads,
  tests: false,
  command: shortened(command, longestCommand),
  masked: true,
});

/** str_replace_editor and its kin: the sub-command says whether it looks or edits. */
function editorIntent(verb: string, path: string): Intent {
  const line = `${verb} ${path}`;
  return verb === "view" ? intent("explore", line, [], [path]) : intent("edit", line, [path]);
}

/** The file that SWE-agent's editor has open, as its answer states. */
function openFile(result: string | null): string | null {
  const pattern = /\[File: ([^\s()]{1,300}) \(\d+ lines total\)\]|\(Open file: ([^\s()]{1,300})\)/;
  const found = pattern.exec(result?.slice(0, 4_000) ?? "") ?? pattern.exec(result?.slice(-2_000) ?? "");
  return found?.[1] ?? found?.[2] ?? null;
}

const aciExplores = new Set(["open", "goto", "scroll_down", "scroll_up", "search_dir", "search_file", "find_file"]);
const aciEdits = new Set(["edit", "create", "insert", "append"]);

/** SWE-agent 0.x commands: one word, then text in its own syntax (`edit 3:5 ... end_of_edit`); or the same as native calls with arguments. */
function aciIntent(name: string, text: string | null, path: string | null, result: string | null): Intent | null {
  const [line = name] = (text ?? `${name} ${path ?? ""}`).split("\n", 1);
  const words = line.trim().split(/\s+/).slice(1);
  const named = path ?? words.find((word) => /[./]/.test(word) && !/^[\d:.]+$/.test(word))?.replace(/^(["'])(.*)\1$/, "$2") ?? null;
  if (name === "create") return intent("edit", line, named === null ? words.slice(0, 1) : [named]);
  if (aciEdits.has(name)) {
    const file = named ?? openFile(result);
    return intent("edit", line, file === null ? [] : [file]);
  }
  return aciExplores.has(name) ? intent("explore", line, [], named === null || named.includes("*") ? [] : [named]) : null;
}

const shells = new Set([
  "bash",
  "execute_bash",
  "terminal",
  "run",
  "shell",
  "run_command",
  "execute_command",
  "cmd",
  "exec",
  "local_shell",
  "run_shell_command",
]);
const editors = new Set(["str_replace_editor", "file_editor", "str_replace_based_edit_tool", "edit_file", "text_editor"]);
const submits = new Set(["submit", "finish", "exit", "attempt_completion", "task_done", "exit_forfeit"]);
const thinks = new Set(["think", "task_tracker", "todo_write", "update_plan", "plan", "sequential_thinking"]);
const readers = new Set(["read", "read_file", "view_file", "list_directory", "glob", "search", "ls", "grep", "open_file", "view"]);
const editTools = new Set(["write", "write_file", "edit", "multiedit", "replace", "create_file", "apply_patch"]);

/** Words of `["bash", "-lc", "..."]`, which some sources give instead of a string. */
function commandText(value: string | undefined): string | null {
  if (value?.startsWith('"')) return JSON.parse(value) as string;
  if (!value?.startsWith("[")) return null;
  const words = (JSON.parse(value) as unknown[]).filter((word) => typeof word === "string");
  return /^(?:\/bin\/)?(?:ba|z)?sh$/.test(words[0] ?? "") ? (words.at(-1) ?? "") : words.join(" ");
}

function intentOf(call: AnsweredCall): Intent {
  const name = call.name.trim().toLowerCase();
  const members = jsonMembers(call.arguments) ?? [];
  const command = commandText(members.findLast((member) => member.key === "command" || member.key === "cmd")?.value);
  const path =
    ["path", "file_path", "filename", "file_name", "absolute_path"].map((key) => stringMember(members, key)).find((one) => one !== null) ??
    null;
  if (editors.has(name) && command !== null) return editorIntent(command, path ?? "");
  if (submits.has(name)) return intent("submit", name);
  if (thinks.has(name)) return intent("think", name);
  if (shells.has(name)) return command === null ? intent("other", name) : shellIntent(command);
  const aci = name === "edit" && path !== null ? null : aciIntent(name, command, path, call.result);
  if (aci !== null) return aci;
  if (editTools.has(name) && path !== null) return intent("edit", `${call.name} ${path}`, [path]);
  if (readers.has(name) && command === null)
    return intent("explore", `${call.name} ${path ?? stringMember(members, "pattern") ?? ""}`, [], path === null ? [] : [path]);
  if (command !== null && members.length === 1) return shellIntent(command);
  return intent("other", call.name);
}

/** Commands that stand for an answer's words: their output is what the agent asked to see, not a report on how the command went. */
const showsOnly = (kind: ActionKind): boolean => kind === "explore" || kind === "think" || kind === "submit" || kind === "version-control";

/** A non-zero exit code counts first, then the source's own flag, then what is printed; 0 behind a pipe vouches for nothing. */
function hasFailed(call: AnsweredCall, wanted: Intent, body: string, result: TestResult | null): boolean {
  if (call.result === null && call.exitCode === null) return call.failed ?? false;
  const code = call.exitCode ?? statedExitCode(call.result ?? "");
  const printed = showsOnly(wanted.kind)
    ? isBareError(body)
    : isBareError(body) || (wanted.tests && result !== null && result.failed !== 0) || endsInTraceback(body);
  if (code !== null ? code !== 0 : call.failed === true) return true;
  if (wanted.tests && (result?.failed ?? 0) > 0) return true;
  const vouched = code === 0 || call.failed === false;
  return vouched && !wanted.masked ? false : printed;
}

const lastLine = (body: string): string | null =>
  body
    .slice(-2_000)
    .split("\n")
    .findLast((line) => line.trim() !== "")
    ?.trim() ?? null;

function read(call: AnsweredCall): Action {
  const wanted = intentOf(call);
  const body = call.result === null ? "" : bodyOf(call.result);
  const found = wanted.tests || wanted.kind === "run" ? testSummary(body) : null;
  const failed = hasFailed(call, wanted, body, found?.result ?? null);
  const silent = showsOnly(wanted.kind) && !isBareError(body);
  const error = failed && !silent ? (errorLine(body) ?? found?.line ?? lastLine(body)) : failed ? errorLine(body) : null;
  const signature = error === null ? null : signatureOf(error);
  const { masked: _, ...rest } = wanted;
  return {
    ...rest,
    failed,
    signature: signature === "" ? null : signature,
    error: error === null ? null : shortened(error, 240),
    testResult: found?.result ?? null,
    summary: found === null ? null : shortened(found.line, 200),
    failing: failed && (wanted.tests || found !== null) ? failingTests(body).map((name) => shortened(name, 160)) : [],
  };
}

/** Calls never change, so each is read once however many cuts look back at it. */
const known = new WeakMap<AnsweredCall, Action>();

/** What a call did and how it ended. Total and deterministic; linear in the length of the call. */
export function actionOf(call: AnsweredCall): Action {
  const seen = known.get(call);
  if (seen !== undefined) return seen;
  const action = read(call);
  known.set(call, action);
  return action;
}

/** Do two spellings name one file? `src/a.py` is `/testbed/src/a.py` as seen from elsewhere. */
export function sameFile(left: string, right: string): boolean {
  const [a, b] = [left, right].map((path) => path.replace(/^(?:\.\/)+/, "").replace(/\/+$/, ""));
  if (a === undefined || b === undefined || a === "" || b === "") return left === right;
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  return long === short || long.endsWith(short.startsWith("/") ? short : `/${short}`);
}

/** Were the files changed? A run may fail after what it wrote first was written. */
export const changesFiles = (action: Action): boolean =>
  action.files.length > 0 && (!action.failed || action.kind === "run" || action.kind === "test");

/** The actions of one turn, in order. */
export const actionsOf = (step: { readonly calls: readonly AnsweredCall[] }): Action[] => step.calls.map(actionOf);
