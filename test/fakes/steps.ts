import type { Call, Step, Trajectory } from "../../schemas/trajectory.ts";

/** Steps for tests, told in a line each. */
const stepOf = (name: string, args: Record<string, unknown>, result: string | null, thought: string): Step => {
  const call: Call = { id: null, name, arguments: JSON.stringify(args), result, exitCode: null, failed: null };
  return { thought, reasoning: null, calls: [call], feedback: [] };
};

export const bashStep = (command: string, result = "", thought = ""): Step => stepOf("execute_bash", { command }, result, thought);
export const viewStep = (path: string, result = "", thought = ""): Step =>
  stepOf("str_replace_editor", { command: "view", path }, result, thought);
export const editStep = (path: string, old: string, next: string, thought = "", result = `The file ${path} has been edited.`): Step =>
  stepOf("str_replace_editor", { command: "str_replace", path, old_str: old, new_str: next }, result, thought);
export const createStep = (path: string, text: string, thought = ""): Step =>
  stepOf("str_replace_editor", { command: "create", path, file_text: text }, `File created successfully at: ${path}`, thought);
export const wordStep = (thought: string, feedback: string): Step => ({ thought, reasoning: null, calls: [], feedback: [feedback] });

export const traceback = (error: string): string =>
  `Traceback (most recent call last):\n  File "reproduce.py", line 2, in <module>\n    run()\n${error}`;

/** A resolved run of these steps about which nothing else matters. */
export const trajectoryOf = (steps: readonly Step[], patch: string | null = null): Trajectory => ({
  format: "catgen.trajectory/1",
  id: "test/one/0123456789ab",
  source: "test",
  instance: "one",
  origin: { dialect: "test", file: "x", record: null, digest: "0".repeat(64), licence: null, model: null, callStyle: "native" },
  task: { system: null, prompt: "Fix the thing.", issue: null, workdir: null, repository: null, tools: [] },
  steps: [...steps],
  outcome: { resolved: true, evidence: { kind: "row", detail: "x", digest: null }, exit: "submitted", rawExit: null, patch },
  marks: [],
});

/** A short run, as agents go: look, reproduce, edit, fail, edit, pass, commit. */
export const shortRun: readonly Step[] = [
  bashStep("ls -la", "src\ntests", "Let me look around."),
  viewStep("/testbed/src/core.py", "     1\tdef run(value):\n     2\t    return value + 1", "The issue is in `run()` of src/core.py."),
  bashStep("grep -rn 'run(' /testbed/src", "/testbed/src/core.py:1:def run(value):"),
  createStep("/testbed/reproduce.py", "from core import run\n\ndef main():\n    run(None)\n\nmain()\n", "Let me reproduce it."),
  bashStep("cd /testbed && python reproduce.py", traceback("TypeError: unsupported operand type(s) for +: 'NoneType' and 'int'")),
  editStep("/testbed/src/core.py", "    return value + 1", "    return 1 if value is None else value + 1", "`None` must count as zero."),
  bashStep("cd /testbed && python reproduce.py", "1"),
  bashStep(
    "python -m pytest tests -q",
    "FAILED tests/test_core.py::test_empty - AssertionError: assert 1 == 0\n1 failed, 4 passed in 0.31s",
  ),
  editStep("/testbed/src/core.py", "    return 1 if value is None else value + 1", "    return 0 if value is None else value + 1"),
  bashStep("python -m pytest tests -q", "5 passed in 0.30s", "That should do."),
  bashStep("git commit -am 'run accepts None'", "[main 1a2b3c4] run accepts None"),
];
