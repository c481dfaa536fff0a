import { aciCommands, aciIntent } from "./aci.ts";
import { commandIn, type Given, givenIn, membersOf, pathIn, pathsIn, type ToolCall, textIn } from "./given.ts";
import { type ActionKind, type Intent, intent, longestCommand, shortened, unique, weightiest } from "./intent.ts";
import { isPatch, patchedFiles } from "./patches.ts";
import { callsIn, type ScriptCall, writtenByScript } from "./scripts.ts";
import { shellIntent } from "./shell-intent.ts";

/**
 * Which tool does what, by name in lower case, over all the agents whose runs are imported. A tool that no row names is read by what it
 * is given, see `unknown`. Names are those of the products' own tool lists, as of 2025.
 */
type Tool = (call: ToolCall) => Intent;

/** What a tool looks for, where it is no file. */
const subjects = (
  "pattern query searchterm regex searchpattern url classname functionname codesnippet identifier symbol objective description prompt code " +
  "browseractions action"
).split(" ");

const line = ({ name, given }: ToolCall, names: readonly string[]): string =>
  [name, shortened(textIn(given, ...subjects) ?? "", longestCommand), ...names].filter((part) => part !== "").join(" ");

const looks: Tool = (call) => {
  const paths = pathsIn(call.given);
  const shown = paths.filter((path) => !path.includes("*"));
  return intent("explore", line(call, paths), [], shown);
};
const textOf = (given: Given): string =>
  textIn(given, "filetext", "content", "contents", "newstr", "newstring", "newtext", "newcontent") ?? "";
const edited = (given: Given, line: string, files: readonly string[]): Intent => ({
  ...intent("edit", line, files),
  writesWhenRun: writtenByScript(textOf(given)),
});
const edits: Tool = ({ name, given }) => edited(given, [name, ...pathsIn(given)].join(" "), pathsIn(given));
const deletes: Tool = (call) => ({ ...edits(call), removes: pathsIn(call.given) });
const thinks: Tool = ({ name }) => intent("think", name);
const submits: Tool = ({ name }) => intent("submit", name);
const tries = (kind: "test" | "run"): Tool => {
  return ({ name, given }) => ({ ...intent(kind, [name, ...pathsIn(given)].join(" ")), runs: pathsIn(given) });
};
const tests = tries("test");
const runs = tries("run");
const other: Tool = (call) => intent("other", line(call, []));

/** An empty line waits for what runs already, and `C-c` ends it: plumbing, as `kill` is. */
const shell: Tool = ({ name, given, result }) => {
  const command = commandIn(given, "script", "keystrokes");
  if (command === null) return intent(given.has("restart") ? "explore" : "other", name);
  if (command.trim() === "") return intent("run", name);
  const tool = toolCalledIn(command, result);
  if (tool !== null) return tool;
  return /^(?:C-\w|\p{Cc})$/u.test(command) ? intent("explore", `${name} ${command}`) : shellIntent(command);
};
/** Some runs type the agent's own tools into the shell: `open(path="a.py")`, `submit()`. Nothing else that a shell takes looks like it. */
function toolCalledIn(command: string, result: string | null): Intent | null {
  const name = /^\s*([a-z]\w{0,40})\((?:\w{1,40}\s?=|\s{0,8}\)\s*$)/.exec(command)?.[1] ?? "";
  const tool = table.get(name);
  const [called] = tool === undefined ? [] : callsIn(command.trimStart());
  return tool === undefined || tool === shell || called === undefined ? null : tool({ ...called, result });
}
/** What is typed into a program that runs already, or what it has printed since. */
const goesOn: Tool = (call) => {
  const typed = textIn(call.given, "chars", "input") ?? "";
  return typed.trim() === "" ? intent("run", call.name) : shell({ ...call, given: membersOf({ command: typed }) });
};

/** str_replace_editor and its kin: the sub-command says whether it looks or edits; without one, the tool is for edits alone. */
const editor: Tool = (call) => {
  const { given } = call;
  const verb = commandIn(call.given) ?? textIn(call.given, "operation");
  if (verb === null) return edits(call);
  const path = pathIn(call.given);
  const files = path === null ? [] : [path];
  return verb === "view" ? intent("explore", [verb, ...files].join(" "), [], files) : edited(given, [verb, ...files].join(" "), files);
};
const aci: Tool = ({ name, given, result }) => aciIntent(name.toLowerCase(), commandIn(given), pathIn(given), result);
/** `edit` and `insert` are names in SWE-agent's interface, too, where they may change the file that is open. */
const editsOrAci: Tool = (call) => (pathIn(call.given) === null ? aci(call) : edits(call));

const patchIn = ({ given }: ToolCall): string | null => textIn(given, "input", "patch", "patchtext", "diff") ?? commandIn(given);
const patches: Tool = (call) => {
  const files = patchedFiles(patchIn(call) ?? "");
  return files.length === 0 ? edits(call) : intent("edit", [call.name, ...files].join(" "), files);
};

/** Python as in a notebook: `!` and `%%bash` are shell, tools are functions; anything else is a program. */
const code: Tool = (call) => {
  const text = textIn(call.given, "code");
  if (text === null) return shell(call);
  const cell = /^\s*%%(?:bash|sh)\b.*\n/.exec(text)?.[0] ?? null;
  const typed = cell === null ? [...text.matchAll(/^[!%] ?([^!%\s].*)$/gm)].map((found) => found[1]).join("\n") : text.slice(cell.length);
  const parts = [...(typed === "" ? [] : [shellIntent(typed)]), ...callsIn(text).flatMap(functionIntent)];
  const files = unique([...parts.flatMap((part) => part.files), ...(cell === null ? writtenByScript(text) : [])]);
  const own: readonly ActionKind[] = files.length > 0 ? ["edit"] : parts.length === 0 ? ["run"] : [];
  return {
    kind: weightiest([...parts.map((part) => part.kind), ...own]),
    files,
    reads: unique(parts.flatMap((part) => part.reads)),
    removes: unique(parts.flatMap((part) => part.removes)),
    runs: unique(parts.flatMap((part) => part.runs)),
    writesWhenRun: unique(parts.flatMap((part) => part.writesWhenRun)),
    installs: parts.length > 0 && parts.every((part) => part.installs) && own.length === 0,
    commits: parts.some((part) => part.commits),
    tests: parts.some((part) => part.tests),
    command: shortened(parts.length > 0 ? parts.map((part) => part.command).join("; ") : text, longestCommand),
    masked: true,
  };
};
/** Without a `_` in its name, a function is Python's own: `open`, `exec`, `exit`. */
const functionIntent = ({ name, given }: ScriptCall): Intent[] => {
  const tool = name.includes("_") ? table.get(name) : undefined;
  return tool === undefined ? [] : [tool({ name, given, result: null })];
};

/** Sub-agents that have no tools to change anything with; what another did stands nowhere. */
const delegates: Tool = (call) => (/^(?:explore|plan)$/i.test(textIn(call.given, "subagenttype") ?? "") ? looks(call) : other(call));

/** Moatless plans the next edit, or ends the run, in one and the same state. */
const plans: Tool = ({ name, given }) => {
  const inner = given.get("action");
  const own = typeof inner === "string" ? given : membersOf(inner);
  const ends = inner === "finish" || inner === "reject" || (!own.has("instructions") && (own.has("message") || own.has("reason")));
  return intent(ends ? "submit" : "think", name);
};
/** Moatless names the file of this edit in the plan before it, and in the answer. */
const editsPlanned: Tool = ({ name, result }) => {
  const file = /Applied the change to (\S{1,300}?)\.(?:\s|$)/.exec(result?.slice(0, 4_000) ?? "")?.[1];
  return intent("edit", name, file === undefined ? [] : [file]);
};

/** A tool of another program, called through one that only hands on. */
const handsOn: Tool = (call) => {
  const name = textIn(call.given, "toolname", "name");
  const given = call.given.get("arguments") ?? call.given.get("toolinput");
  if (name === null || toolOf(name) === handsOn) return other(call); // handing on what is handed on may have no end
  return intentOf({ name, given: typeof given === "string" ? givenIn(given) : membersOf(given), result: call.result });
};

/** One row a meaning: names, then what they do. */
const rows: readonly (readonly [names: string, tool: Tool])[] = [
  // Claude Code, Codex, Gemini CLI, Cline, pi, OpenHands, SWE-agent, trae, R2E-Gym, harbor
  [
    "bash execute_bash terminal run shell local_shell shell_command exec exec_command cmd run_command run_commands execute_command " +
      "run_shell_command run_in_terminal bash_command",
    shell,
  ],
  ["write_stdin bashoutput taskoutput", goesOn],
  ["killshell killbash taskstop", looks],
  ["execute_ipython_cell run_ipython ipython python jupyter execute_python runpythoncode", code],
  ["runpythonscript runmypy", runs],
  ["runtests run_tests runmaventests", tests],

  ["str_replace_editor file_editor str_replace_based_edit_tool text_editor editor edit_file claudeedittool json_edit_tool", editor],
  ["apply_patch applypatch patch", patches],
  ["edit insert", editsOrAci],
  [aciCommands.filter((name) => name !== "edit" && name !== "insert").join(" "), aci],
  ["write multiedit notebookedit", edits], // Claude Code, pi
  ["write_file replace create_file", edits], // Gemini CLI and others
  ["delete_file remove_file deletefile", deletes],
  ["write_to_file replace_in_file new_rule apply_diff insert_content search_and_replace", edits], // Cline and Roo
  ["stringreplace createfile appendstring insertline requestcodechange", edits], // Moatless
  ["edit_file_by_replace edit_file_by_line insert_content_at_line append_file", edits], // OpenHands' notebook
  ["editcode", editsPlanned], // Moatless

  ["read view glob grep ls list notebookread lsp toolsearch skill", looks], // Claude Code, opencode
  ["find", looks], // pi
  ["view_image list_dir grep_files tool_search", looks], // Codex
  ["read_file read_many_files list_directory search_file_content grep_search codebase_investigator activate_skill", looks], // Gemini CLI
  ["read_files list_files search_files list_code_definition_names access_mcp_resource load_mcp_documentation fetch_instructions", looks], // Cline
  ["search search_codebase codebase_search view_file open_file goto_line ckg recall", looks],
  ["findclass findfunction findcodesnippet semanticsearch searchcode viewcode viewdiff", looks], // Moatless
  ["requestmorecontext identifycode listfiles readfile readfiles globtool greptool", looks],
  ["webfetch websearch web_fetch web_search google_web_search web_read fetch fetch_web_content", looks],
  ["browser browse browse_interactive browser_action", looks],

  ["think plan sequential_thinking sequentialthinking", thinks],
  ["task_tracker todowrite todoread todo_write write_todos update_plan focus_chain update_todo_list", thinks],
  ["taskcreate taskupdate tasklist taskget createtasks updatetask listtasks addcodingtasks removecodingtasks", thinks],
  ["exitplanmode enterplanmode exit_plan_mode enter_plan_mode plan_mode_respond act_mode_respond switch_mode", thinks],
  ["askuserquestion ask_followup_question ask_question ask_user request_user_input respond", thinks],
  ["save_memory new_task condense summarize_task request_condensation cleanupcontext slashcommand", thinks],
  ["deciderelevance clarifycodechange", thinks], // Moatless
  ["plantocode", plans],

  ["submit finish exit exit_forfeit attempt_completion submit_and_exit task_done complete_task verifiedfinish reject", submits],
  ["task agent", delegates],
  ["use_mcp_tool call_tool_mcp", handsOn],
];
const table: ReadonlyMap<string, Tool> = new Map(rows.flatMap(([names, tool]) => names.split(" ").map((name) => [name, tool] as const)));

/** What shells take beside a command; a tool that takes other things has sub-commands, not commands. */
const besideCommand = new Set(
  (
    "command cmd commands workdir cwd directory timeout timeoutms timeoutseconds description explanation justification background isbackground " +
    "runinbackground isinput login tty yieldtimems maxoutputtokens requiresapproval securityrisk thought"
  ).split(" "),
);
const newText = (
  "content contents filetext newstr newstring newtext newcontent newsource oldstr oldstring oldtext edits diff patch codeedit " +
  "replacement insertline"
).split(" ");
const looking = /^(?:read|view|open|list|search|find|get|fetch|show|grep|glob|query|look|browse|browser)(?:[_-]|[A-Z]|$)/;

/** A tool that no row names, by what it is given; a name that begins with a word for looking says enough, one for changing does not. */
const unknown: Tool = (call) => {
  const { given } = call;
  if (commandIn(given) !== null && [...given.keys()].every((key) => besideCommand.has(key))) return shell(call);
  if (isPatch(patchIn(call) ?? "")) return patches(call);
  if (pathIn(given) !== null && newText.some((key) => given.has(key))) return edits(call);
  return looking.test(call.name) ? looks(call) : other(call);
};

/** A name may have the server or the space it comes from in front: `mcp__files__read_file`, `functions.shell`. */
const ownName = (name: string): string => name.trim().replace(/^[\s\S]*(?:__|\.)(?=\w)/, "");
const toolOf = (name: string): Tool => table.get(name.trim().toLowerCase()) ?? table.get(ownName(name).toLowerCase()) ?? unknown;

/** What a call asks for. */
export const intentOf = (call: ToolCall): Intent => toolOf(call.name)({ ...call, name: ownName(call.name) });
