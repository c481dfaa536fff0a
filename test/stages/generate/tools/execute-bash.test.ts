import { expect, test } from "vitest";
import { executeBash } from "../../../../stages/generate/tools/execute-bash.ts";
import { openToolState } from "../../../../stages/generate/tools/state.ts";
import type { Execution } from "../../../../stages/lib/sandbox.ts";
import { memorySandbox } from "./memory-sandbox.ts";

const limits = { commandTimeoutMs: 120_000, observationChars: 100, fileBytes: 1_000 };

async function run(args: Record<string, unknown>, gave: Partial<Execution> = {}) {
  const sandbox = memorySandbox({}, () => gave);
  const parsed = executeBash.parse(JSON.stringify(args));
  if (!parsed.ok) throw new Error(parsed.why);
  const observation = await executeBash.run(parsed.value, { sandbox, state: openToolState(), limits });
  return { ...observation, ran: sandbox.ran };
}

test("the observation is the output without white space at its end, then how the command ended", async () => {
  const { ran, ...observation } = await run({ command: "npm test" }, { output: "\n  ok\n\n", exitCode: 1 });
  expect(observation).toEqual({
    text: "\n  ok\n[The command completed with exit code 1.]",
    failed: null,
    exitCode: 1,
    ends: false,
  });
  expect(ran).toEqual([{ command: "npm test", limits: { timeoutMs: 120_000, outputBytes: 400 } }]);
  expect((await run({ command: "true" })).text).toBe("[The command completed with exit code 0.]");
});

test("a call may ask for less time than the limit, not for more", async () => {
  for (const [timeout, timeoutMs] of [
    [5, 5_000],
    ["0.5", 500],
    [600, 120_000],
    [null, 120_000],
    [1e300, 120_000],
    [1e-9, 1],
  ])
    expect((await run({ command: "x", timeout })).ran[0]?.limits.timeoutMs, String(timeout)).toBe(timeoutMs);
});

test("a command that ran out of time has failed, and the agent learns whether its shell is still there", async () => {
  const slow = await run({ command: "sleep 9", timeout: 2.5 }, { output: "begun\n", exitCode: null, timedOut: true });
  expect(slow).toMatchObject({ failed: true, exitCode: null });
  expect(slow.text).toBe(
    "begun\n[The command timed out after 2.5 seconds and was interrupted. The shell is still there, with its working directory and variables.]",
  );
  expect((await run({ command: "x" }, { exitCode: null, timedOut: true, shellLost: true })).text).toBe(
    "[The shell was restarted: its working directory and variables are those of a new one.]\n[The command timed out after 120 seconds, the longest a command may take, and was interrupted.]",
  );
});

test("a shell that ended with the command is said to be a new one, and the last line is still how the command ended", async () => {
  expect(await run({ command: "exit 3" }, { exitCode: 3, shellLost: true })).toMatchObject({
    failed: null,
    exitCode: 3,
    text: "[The shell was restarted: its working directory and variables are those of a new one.]\n[The command completed with exit code 3.]",
  });
  expect(await run({ command: "kill -9 $$" }, { exitCode: null, shellLost: true })).toMatchObject({
    failed: true,
    text: expect.stringMatching(/ a new one\.\]\n\[The command gave no exit code\.\]$/),
  });
});

test("long output keeps head and tail, also where the sandbox has already dropped the middle", async () => {
  const output = `${"a".repeat(200)}${"b".repeat(200)}\n`;
  const kept = (left: string): string =>
    `${"a".repeat(50)}\n[... Observation truncated: ${left} left out ...]\n${"b".repeat(50)}\n[The command completed with exit code 0.]`;
  expect((await run({ command: "x" }, { output })).text).toBe(kept("300 characters"));
  expect((await run({ command: "x" }, { output, droppedBytes: 7_000 })).text).toBe(kept("7300 bytes"));
});

test("bytes that are no text are named", async () => {
  expect((await run({ command: "cat a.out" }, { output: "\ufffdELF", lossy: true })).text).toBe(
    "\ufffdELF\n[Some of the output is no UTF-8 text and is shown as \ufffd.]\n[The command completed with exit code 0.]",
  );
});

test("input for a process, and no command at all, are answered without the shell", async () => {
  for (const args of [{ command: "y", is_input: true }, { command: "C-c", is_input: "True" }, { command: " \n" }]) {
    const { ran, text, failed } = await run(args);
    expect([ran, failed]).toEqual([[], true]);
    expect(text).toMatch(/^ERROR:\n.*No process is waiting for input/s);
  }
  expect((await run({ command: "y", is_input: "false" })).ran).toHaveLength(1);
});
