import { describe, expect, test } from "vitest";
import { type AnsweredCall, actionOf } from "../../../../stages/lib/commands/actions.ts";
import { bodyOf, saysFailed, statedExitCode, testSummary } from "../../../../stages/lib/commands/results.ts";

const output = "E   assert 4 == 5\nFAILED test_a.py::test_add - assert 4 == 5\n=== 1 failed in 0.02s ===";

/** One answer of a shell as each product writes it down, and the exit code it states. */
const wrapped: readonly (readonly [product: string, result: string])[] = [
  ["mini-swe-agent", `<returncode>1</returncode>\n<output>\n${output}\n</output>`],
  ["OpenHands", `${output}\n[The command completed with exit code 1.]\n[Current working directory: /testbed]`],
  ["Claude Code", `Exit code 1\n${output}`],
  ["R2E-Gym", `Exit code: Error: Exit code 1\nExecution output of [execute_bash]:\n${output}`],
  ["Codex", `Exit code: 1\nWall time: 0.4 seconds\nTotal output lines: 3\nOutput:\n${output}`],
  [
    "Codex's sessions",
    `Chunk ID: 3fa830\nWall time: 0.05 seconds\nProcess exited with code 1\nOriginal token count: 12\nOutput:\n${output}`,
  ],
  [
    "Gemini CLI",
    `Command: pytest\nDirectory: (root)\nOutput: ${output}\nError: (none)\nExit Code: 1\nSignal: 0\nBackground PIDs: (none)\nProcess Group PGID: 8853`,
  ],
  ["pi", `${output}\n\nCommand exited with code 1`],
];

describe.each(wrapped)("an answer as %s writes it", (_, result) => {
  const call: AnsweredCall = { name: "bash", arguments: JSON.stringify({ command: "pytest" }), result, exitCode: null, failed: null };
  test("states its exit code and holds the output alone", () => {
    expect(statedExitCode(result)).toBe(1);
    expect(bodyOf(result).trim()).toBe(output);
  });
  test("fails as in every other product", () => {
    expect(actionOf(call)).toMatchObject({
      failed: true,
      error: "assert 4 == 5",
      signature: "assert # == #",
      testResult: { passed: 0, failed: 1 },
      summary: "=== 1 failed in 0.02s ===",
      failing: ["test_a.py::test_add"],
    });
  });
});

test("a background shell states its exit code once it has ended", () => {
  expect(statedExitCode("<status>completed</status>\n\n<exit_code>2</exit_code>\n\n<stdout>\nx\n</stdout>")).toBe(2);
  expect(statedExitCode("<status>running</status>\n\n<stdout>\nx\n</stdout>")).toBeNull();
});

test("a session that still runs states none, and its head is no output", () => {
  const result = "Chunk ID: 1\nWall time: 1.0 seconds\nProcess running with session ID 7\nOutput:\nhi";
  expect([statedExitCode(result), bodyOf(result)]).toEqual([null, "hi"]);
});

test("an answer without output is empty", () => {
  const result =
    "Command: true\nDirectory: x\nOutput: (empty)\nError: (none)\nExit Code: 0\nSignal: 0\nBackground PIDs: (none)\nProcess Group PGID: 1";
  expect([statedExitCode(result), bodyOf(result)]).toEqual([0, ""]);
});

test("words on exit codes in the middle of an output are output", () => {
  expect(statedExitCode(`intro\nExit code 3\n${"x\n".repeat(800)}`)).toBeNull();
});

test("Cline's record of an edit is read for its answer and its outcome", () => {
  const failed = JSON.stringify({ query: "edit:a.py", result: "", error: "No match", success: false });
  const done = JSON.stringify({ query: "edit:a.py", result: 'Edited a.py\n"success":false', success: true });
  expect([saysFailed(failed), bodyOf(failed)]).toEqual([true, "No match"]);
  expect([saysFailed(done), bodyOf(done)]).toEqual([false, 'Edited a.py\n"success":false']);
  expect(bodyOf('{"query": broken')).toBe('{"query": broken');
  const call = { name: "editor", arguments: '{"path":"a.py","old_text":"x","new_text":"y"}', exitCode: null, failed: null };
  expect(actionOf({ ...call, result: failed })).toMatchObject({ kind: "edit", failed: true, error: "No match" });
  expect(actionOf({ ...call, result: done }).failed).toBe(false);
});

test.each([
  [
    "Edit",
    { file_path: "a.py" },
    "<tool_use_error>String to replace not found in file.\nString: x</tool_use_error>",
    "String to replace not found in file.",
  ],
  [
    "Write",
    { file_path: "a.py" },
    "<tool_use_error>File has not been read yet. Read it first before writing to it.</tool_use_error>",
    "File has not been read yet. Read it first before writing to it.",
  ],
  [
    "replace",
    { file_path: "a.py" },
    "Failed to edit, 0 occurrences found for old_string in a.py. No edits made.",
    "Failed to edit, 0 occurrences found for old_string in a.py. No edits made.",
  ],
  [
    "apply_patch",
    { input: "*** Begin Patch\n*** Update File: a.py" },
    "apply_patch verification failed: Failed to find expected lines in a.py:\nx",
    "apply_patch verification failed: Failed to find expected lines in a.py:",
  ],
  [
    "edit",
    { path: "a.py" },
    "Could not find the exact text in a.py. The old text must match exactly.",
    "Could not find the exact text in a.py. The old text must match exactly.",
  ],
  ["replace_in_file", { path: "a.py" }, "The SEARCH block:\nx\n...does not match anything in the file.", "The SEARCH block:"],
  [
    "StringReplace",
    { path: "a.py" },
    "No changes were made. The provided old_str was not found.",
    "No changes were made. The provided old_str was not found.",
  ],
])("%s that was refused is a failed edit", (name, args, result, error) => {
  const call = { name, arguments: JSON.stringify(args), result, exitCode: null, failed: null };
  expect(actionOf(call)).toMatchObject({ kind: "edit", files: ["a.py"], failed: true, error });
});

test("a file that is not there is a failed look, where the answer says nothing else", () => {
  const call = { name: "read_file", arguments: '{"path":"a.py"}', exitCode: null, failed: null };
  expect(actionOf({ ...call, result: "File not found: a.py" })).toMatchObject({ failed: true, error: "File not found: a.py" });
  expect(actionOf({ ...call, result: "File not found: a.py\n1: these\n2: are its lines" }).failed).toBe(false);
});

test("Moatless counts its tests in its own words", () => {
  expect(testSummary("* a.py: 3 passed, 1 failed, 0 errors, 0 skipped\n\nTotal: 5 passed, 1 failed, 2 errors, 0 skipped.")?.result).toEqual(
    {
      passed: 5,
      failed: 3,
    },
  );
  expect(testSummary("3 passed. 0 failed. 0 errors.")?.result).toEqual({ passed: 3, failed: 0 });
});

test.each([
  "Command: \n",
  "<status>a</status>",
  "Exit code 1\n",
  "Directory: x\n",
  "Command exited with code 1\n",
  '{"query":"',
  "\nExit Code: 0",
])("an answer of many times %j is read in linear time", (piece) => {
  const start = performance.now();
  for (const result of [piece.repeat(200_000), `Command: ${piece.repeat(200_000)}`]) {
    bodyOf(result);
    statedExitCode(result);
    saysFailed(result);
  }
  expect(performance.now() - start).toBeLessThan(5_000);
});
