import { describe, expect, test } from "vitest";
import { environmentFailures, timeouts } from "../../../../stages/filter/conduct/surroundings.ts";
import { callStep, conductOfSteps, shellStep } from "../../../fakes/seen.ts";

const broken = (command: string, result: string, exitCode = 1) =>
  environmentFailures(conductOfSteps([shellStep(command, result, exitCode)]));

describe("the surroundings failed", () => {
  test.each([
    ["pip install x", "ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device"],
    ["python a.py", "OSError: [Errno 12] Cannot allocate memory"],
    ["ls", "bash: ls: command not found"],
    ["cd /x && git status", "/bin/sh: 1: git: not found"],
    ["pip install x", "bash: line 1: pip: command not found"],
    ["apt-get update", "W: Failed to fetch http://archive.ubuntu.com/ubuntu/dists/jammy/InRelease  Temporary failure resolving 'proxy'"],
    ["git clone https://x.org/y", "fatal: unable to access 'https://x.org/y/': Could not resolve host: x.org"],
    ["pip install x", "WARNING: Retrying: NewConnectionError('Failed to establish a new connection: [Errno 101] Network is unreachable')"],
    ["ls", "Error response from daemon: Container 1a2b3c is not running"],
    ["touch a", "touch: cannot touch 'a': Read-only file system"],
  ])("%s: %s", (command, result) => expect(broken(command, result)).toBe(1));
});

describe("the agent or the project failed", () => {
  test.each([
    ["ponyc a.pony", "bash: ponyc: command not found"],
    ["python a.py", "ModuleNotFoundError: No module named 'numpy'"],
    ["cat a.py", "cat: a.py: No such file or directory"],
    ["python a.py", "ConnectionRefusedError: [Errno 111] Connection refused"],
    ["python a.py", "bash: line 10: Add: command not found"],
  ])("%s: %s", (command, result) => expect(broken(command, result)).toBe(0));

  test("and what is only shown fails nobody", () => {
    expect(broken("cat notes.md", "If you see 'No space left on device', free some.", 0)).toBe(0);
  });
});

test("timeouts are told by exit code 124 and by the words of scaffolds at either end of an answer", () => {
  const late = (result: string, exitCode: number | null = null) =>
    timeouts(conductOfSteps([callStep("bash", { command: "make" }, result, { exitCode })]));
  expect(late("", 124)).toBe(1);
  expect(late("EXECUTION TIMED OUT")).toBe(1);
  expect(late("Building ... /\n[The command timed out after 60.0 seconds. You may wait longer.]")).toBe(1);
  expect(late("Serving\n[The command has no new output after 30 seconds. You may wait longer.]")).toBe(1);
  expect(late("plugins: timeout-2.3.1\n3 passed in 0.10s", 0)).toBe(0);
  expect(timeouts(conductOfSteps([shellStep("cat a.py", "raise Error('timed out after 3 s')")]))).toBe(0);
});
