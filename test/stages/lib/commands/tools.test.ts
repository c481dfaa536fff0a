import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Trajectory } from "../../../../schemas/trajectory.ts";
import { actionOf } from "../../../../stages/lib/commands/actions.ts";
import { givenIn } from "../../../../stages/lib/commands/given.ts";
import type { Intent } from "../../../../stages/lib/commands/intent.ts";
import { intentOf } from "../../../../stages/lib/commands/tools.ts";

const asked = (name: string, args: unknown, result: string | null = null): Intent =>
  intentOf({ name, given: givenIn(JSON.stringify(args)), result });

const a = "/testbed/a.py";
const patch = `*** Begin Patch\n*** Update File: a.py\n*** Move to: b.py\n@@\n-x\n+y\n*** Add File: c.py\n+z\n*** Delete File: d.py\n*** End Patch`;
const diff =
  "diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x\n+y\n--- /dev/null\n+++ b/new.py\n@@ -0,0 +1 @@\n+z\n--- a/old.py\n+++ /dev/null\n";

describe("editing a file means the same in every product", () => {
  test.each([
    ["str_replace_editor", { command: "str_replace", path: a, old_str: "x", new_str: "y" }],
    ["str_replace_based_edit_tool", { command: "create", path: a, file_text: "x" }],
    ["ClaudeEditTool", { command: "insert", path: a, insert_line: 1, new_str: "y" }],
    ["edit_file", { path: a, content: "x", start: 1, end: 2 }],
    ["Edit", { file_path: a, old_string: "x", new_string: "y" }],
    ["MultiEdit", { file_path: a, edits: [{ old_string: "x", new_string: "y" }] }],
    ["Write", { file_path: a, content: "x" }],
    ["NotebookEdit", { notebook_path: a, new_source: "x", edit_mode: "replace" }],
    ["replace", { file_path: a, instruction: "i", old_string: "x", new_string: "y" }],
    ["write_file", { file_path: a, content: "x" }],
    ["editor", { path: a, old_text: "x", new_text: "y" }],
    ["write_to_file", { path: a, content: "x" }],
    ["replace_in_file", { path: a, diff: "<<<<<<< SEARCH" }],
    ["edit", { path: a, oldText: "x", newText: "y" }],
    ["write", { path: a, content: "x" }],
    ["json_edit_tool", { operation: "set", file_path: a, json_path: "$.x", value: 1 }],
    ["StringReplace", { path: a, old_str: "x", new_str: "y" }],
    ["CreateFile", { path: a, file_text: "x" }],
    ["AppendString", { path: a, new_str: "x" }],
    ["RequestCodeChange", { file_path: a, instructions: "i", start_line: 1, end_line: 2 }],
    ["apply_patch", { input: `*** Begin Patch\n*** Update File: ${a}\n@@\n-x\n+y\n*** End Patch` }],
    ["execute_ipython_cell", { code: `edit_file_by_replace(file_name="${a}", to_replace='x', new_content="""y\nopen_file('b.py')\n""")` }],
    ["python", { code: `str_replace_editor(command="str_replace", path='${a}', old_str="x", new_str="y")` }],
    ["execute_ipython_cell", { code: `with open('${a}', 'w') as f:\n    f.write('x')` }],
    ["bash", { command: `apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: ${a}\n*** End Patch\nEOF` }],
    ["shell", { command: ["apply_patch", `*** Begin Patch\n*** Update File: ${a}\n*** End Patch`], workdir: "/testbed" }],
    ["use_mcp_tool", { server_name: "files", tool_name: "write_file", arguments: JSON.stringify({ path: a, content: "x" }) }],
    ["mcp__files__edit_file", { path: a, edits: [] }],
    ["someNewEditTool", { filePath: a, oldString: "x", newString: "y" }],
  ])("%s %j", (name, args) => {
    expect(asked(name, args)).toMatchObject({ kind: "edit", files: [a], reads: [], tests: false });
  });

  test("a patch edits the files it names, moves included, however it is given", () => {
    const files = ["a.py", "b.py", "c.py", "d.py"];
    expect(asked("apply_patch", { input: patch })).toMatchObject({ kind: "edit", files, command: "apply_patch a.py b.py c.py d.py" });
    expect(asked("shell", { command: ["bash", "-lc", `cd x && apply_patch <<'EOF'\n${patch}\nEOF`] })).toMatchObject({
      kind: "edit",
      files,
    });
    expect(asked("anything", { patch }).files).toEqual(files);
    expect(asked("bash", { command: `git apply - <<'EOF'\n${diff}EOF` }).files).toEqual(["a.py", "new.py", "old.py"]);
    expect(asked("bash", { command: `patch -p1 <<'EOF'\n${diff}EOF` }).files).toEqual(["a.py", "new.py", "old.py"]);
  });

  test("Moatless names the file of an edit in its answer", () => {
    expect(asked("EditCode", { content: "x" }, "Applied the change to django/forms/widgets.py.")).toMatchObject({
      kind: "edit",
      files: ["django/forms/widgets.py"],
    });
    expect(asked("EditCode", { content: "x" }).files).toEqual([]);
  });
});

describe("looking at a file means the same in every product", () => {
  test.each([
    ["Read", { file_path: a, offset: 1 }],
    ["read", { path: a }],
    ["read_file", { absolute_path: a }],
    ["read_many_files", { paths: [a] }],
    ["read_files", { files: [{ path: a, start_line: 1 }] }],
    ["ViewCode", { files: [{ file_path: a, span_ids: [] }] }],
    ["IdentifyCode", { identified_spans: [{ file_path: a, span_ids: ["A"] }] }],
    ["view_image", { path: a }],
    ["NotebookRead", { notebook_path: a }],
    ["str_replace_editor", { command: "view", path: a }],
    ["json_edit_tool", { operation: "view", file_path: a }],
    ["ckg", { command: "search_class", path: a, identifier: "A" }],
    ["Grep", { pattern: "x", path: a }],
    ["search_file_content", { pattern: "x", path: a }],
    ["search_files", { regex: "x", path: a }],
    ["list_code_definition_names", { path: a }],
    ["search", { search_term: "x", path: a }],
    ["find", { pattern: "*.py", path: a }],
    ["list_dir", { dir_path: a }],
    ["LS", { path: a }],
    ["open", { path: a, line_number: 3 }],
    ["execute_ipython_cell", { code: `open_file("${a}", line_number=3)\nprint(search_dir("x", "${a}"))` }],
    ["bash", { command: `cat ${a}` }],
    ["mcp__files__readTextFile", { path: a }],
  ])("%s %j", (name, args) => {
    expect(asked(name, args)).toMatchObject({ kind: "explore", files: [], reads: [a], tests: false });
  });

  test.each([
    ["WebFetch", { url: "https://x.org", prompt: "p" }, "WebFetch https://x.org"],
    ["google_web_search", { query: "q" }, "google_web_search q"],
    ["web_search", { type: "search", query: "q" }, "web_search q"],
    ["browser", { code: "goto('http://localhost')" }, "browser goto('http://localhost')"],
    ["browser_action", { action: "launch", url: "http://localhost" }, "browser_action http://localhost"],
    ["browser_navigate", { url: "http://localhost" }, "browser_navigate http://localhost"],
    ["FindClass", { class_name: "A" }, "FindClass A"],
    ["SemanticSearch", { query: "q", category: "test" }, "SemanticSearch q"],
    ["Glob", { pattern: "**/*.py" }, "Glob **/*.py"],
    ["Task", { subagent_type: "Explore", description: "find it", prompt: "long" }, "Task find it"],
  ])("%s names what it looks for and reads no file", (name, args, command) => {
    expect(asked(name, args)).toMatchObject({ kind: "explore", reads: [], command });
  });
});

describe("a test run means the same in every product", () => {
  test.each([
    ["Bash", { command: "pytest a.py", description: "d", run_in_background: false }],
    ["shell", { command: ["bash", "-lc", "cd /testbed && pytest a.py"], workdir: "/testbed" }],
    ["shell_command", { command: "pytest a.py", workdir: "/testbed" }],
    ["local_shell", { type: "exec", command: ["pytest", "a.py"] }],
    ["exec_command", { cmd: "pytest a.py", yield_time_ms: 1_000 }],
    ["write_stdin", { session_id: 1, chars: "pytest a.py\n" }],
    ["functions.shell", { command: ["pytest", "a.py"] }],
    ["run_shell_command", { command: "pytest a.py", directory: "x" }],
    ["run_commands", { commands: ["cd /testbed", "pytest a.py"] }],
    ["execute_command", { command: "pytest a.py", requires_approval: false }],
    ["execute_bash", { cmd: "pytest a.py" }],
    ["bash_command", { keystrokes: "pytest a.py\n" }],
    ["execute_ipython_cell", { code: "!pytest a.py" }],
    ["execute_ipython_cell", { code: "%%bash\npytest a.py" }],
    ["python", { code: "execute_bash(command='pytest a.py')" }],
    ["RunTests", { test_files: ["a.py"] }],
    ["new_shell_tool", { command: "pytest a.py", timeout: 3 }],
  ])("%s %j", (name, args) => {
    expect(asked(name, args)).toMatchObject({ kind: "test", tests: true, files: [] });
  });

  test("the words of a program call keep their bounds", () => {
    expect(asked("shell", { command: ["grep", "-n", "it's b", "x y.py"] })).toMatchObject({
      command: "grep -n 'it'\\''s b' 'x y.py'",
      reads: ["x y.py"],
    });
  });

  test("waiting for what runs is part of the run, ending it is not", () => {
    expect(asked("execute_bash", { command: "", is_input: "true" }).kind).toBe("run");
    expect(asked("write_stdin", { session_id: 1, chars: "" }).kind).toBe("run");
    expect(asked("BashOutput", { bash_id: "b" }).kind).toBe("run");
    expect(asked("write_stdin", { session_id: 1, chars: "\u0003" }).kind).toBe("explore");
    expect(asked("execute_bash", { command: "C-c", is_input: "true" }).kind).toBe("explore");
    expect(asked("KillShell", { shell_id: "b" }).kind).toBe("explore");
    expect(asked("bash", { restart: true }).kind).toBe("explore");
  });

  test("a notebook's program is a run, also where it names functions of Python", () => {
    expect(asked("execute_ipython_cell", { code: "exec('x')\nexit()\nopen('a.py')" })).toMatchObject({ kind: "run", files: [] });
  });
});

test.each([
  "TodoWrite",
  "ExitPlanMode",
  "AskUserQuestion",
  "update_plan",
  "save_memory",
  "plan_mode_respond",
  "ask_followup_question",
  "sequentialthinking",
  "request_condensation",
  "DecideRelevance",
])("%s is words only", (name) => {
  expect(asked(name, { plan: "rm -rf /", todos: [] })).toMatchObject({ kind: "think", files: [], reads: [] });
});

test.each(["Finish", "VerifiedFinish", "Reject", "task_done", "attempt_completion", "finish", "submit"])("%s ends the run", (name) => {
  expect(asked(name, { command: "submit" }).kind).toBe("submit");
});

test("Moatless plans and ends in one state", () => {
  expect(asked("PlanToCode", { action: "modify", instructions: "i", file_path: a }).kind).toBe("think");
  expect(asked("PlanToCode", { action: { instructions: "i", file_path: a } }).kind).toBe("think");
  expect(asked("PlanToCode", { action: "finish", finish: "done" }).kind).toBe("submit");
  expect(asked("PlanToCode", { action: { message: "done" } }).kind).toBe("submit");
});

test("what is not stated is not guessed", () => {
  expect(asked("Task", { subagent_type: "general-purpose", description: "fix it", prompt: "p" })).toMatchObject({
    kind: "other",
    command: "Task fix it",
  });
  expect(asked("mcp__jira__create_issue", { title: "t" }).kind).toBe("other");
  expect(asked("device", { command: "on", room: 3 }).kind).toBe("other");
  expect(asked("bash", { command: 3 }).kind).toBe("other");
  expect(asked("use_mcp_tool", { tool_name: " use_mcp_tool ", arguments: { tool_name: "x" } }).kind).toBe("other");
});

test("names and keys of every object are keys like any other", () => {
  for (const name of ["constructor", "__proto__", "toString", "hasOwnProperty"]) expect(asked(name, {}).kind).toBe("other");
  expect(intentOf({ name: "Read", given: givenIn('{"__proto__": {"path": "a.py"}}'), result: null }).reads).toEqual([]);
  expect(asked("python", { code: "__proto__('a.py')\nconstructor('b')" }).kind).toBe("run");
});

test("no arguments make it throw", () => {
  const names = fc.constantFrom(
    "Bash",
    "shell",
    "write_stdin",
    "apply_patch",
    "python",
    "use_mcp_tool",
    "PlanToCode",
    "Task",
    "ViewCode",
    "x",
  );
  const key = fc.constantFrom(
    "command",
    "commands",
    "path",
    "files",
    "code",
    "action",
    "arguments",
    "tool_name",
    "input",
    "chars",
    "__proto__",
  );
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      { maxDepth: 3 },
      fc.jsonValue(),
      fc.constantFrom("python", "edit_file(path='''", "!ls", patch),
      tie("list"),
      tie("object"),
    ),
    list: fc.array(tie("any"), { maxLength: 3 }),
    object: fc.dictionary(key, tie("any"), { maxKeys: 4 }),
  })).object;
  fc.assert(
    fc.property(names, value, (name, args) => {
      expect(asked(name, args).command).not.toMatch(/[\n\r]/);
    }),
    { numRuns: 2_000, seed: 24 },
  );
});

test.each(["edit_file(", "x_y('", "a_b(c=", "'''", "\\", "!ls\n", "*** Update File: a\n", "--- a\n+++ b\n", "a__", "search_dir('a', "])(
  "arguments of many times %j are read in linear time",
  (piece) => {
    const elapsed = (times: number): number => {
      const long = piece.repeat(times);
      const start = performance.now();
      for (const name of ["python", "apply_patch", "shell", "Read", "x"])
        asked(name, { code: long, input: long, command: [long], path: long });
      asked(long, { query: long });
      asked("use_mcp_tool", { tool_name: "python", arguments: JSON.stringify({ code: long }) });
      return performance.now() - start;
    };
    elapsed(2_000); // compiled by now
    const short = elapsed(10_000);
    // Eight times the length: 8 where it is linear, 64 where it is quadratic.
    expect(elapsed(80_000) / Math.max(short, 20)).toBeLessThan(24);
  },
  60_000,
);

test("arguments nested without end are read", () => {
  const deep = `{"tool_name":"use_mcp_tool","arguments":`.repeat(20_000);
  expect(intentOf({ name: "use_mcp_tool", given: givenIn(`${deep}1${"}".repeat(20_000)}`), result: null }).kind).toBe("other");
});

test("no call of the dialects' fixtures is unknown, but for one whose arguments are no JSON", () => {
  const folder = join(import.meta.dirname, "../../../fixtures/dialects");
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".trajectory.json"));
  expect(files.length).toBeGreaterThan(30);
  const unknown = files.flatMap((file) => {
    const { steps } = JSON.parse(readFileSync(join(folder, file), "utf8")) as Trajectory;
    return steps.flatMap((step) => step.calls.filter((call) => actionOf(call).kind === "other").map((call) => call.arguments));
  });
  expect(unknown).toEqual(['{"command": "sleep 1"']);
});
