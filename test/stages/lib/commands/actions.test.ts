import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Action, type AnsweredCall, actionOf, sameFile } from "../../../../stages/lib/commands/actions.ts";
import { arbitraryStep } from "../../../fakes/arbitrary-trajectory.ts";

const call = (name: string, args: Record<string, unknown>, result: string | null = "", more: Partial<AnsweredCall> = {}): AnsweredCall => ({
  name,
  arguments: JSON.stringify(args),
  result,
  exitCode: null,
  failed: null,
  ...more,
});
const bash = (command: string, result: string | null = "", more: Partial<AnsweredCall> = {}): Action =>
  actionOf(call("bash", { command }, result, more));
const editor = (args: Record<string, unknown>, result = "The file has been edited."): Action =>
  actionOf(call("str_replace_editor", args, result));

describe("kinds", () => {
  test.each([
    ["ls -la", "explore"],
    ["cd /testbed && grep -rn 'def run' src | head -5", "explore"],
    ["sed -n '1,20p' a.py", "explore"],
    ["git diff HEAD~1 -- a.py > /tmp/x.patch", "explore"],
    ["python --version", "explore"],
    ["sed -i 's/a/b/' src/a.py", "edit"],
    ["cat > a.py <<'EOF'\npytest\nEOF", "edit"],
    ["echo x | tee -a notes.md", "edit"],
    ["git checkout -- a.py", "edit"],
    ["git apply fix.patch", "edit"],
    ["rm -rf build", "edit"],
    ["rm -f log; python run.py", "run"],
    ["python reproduce.py", "run"],
    ["FOO=1 timeout 60 ./configure", "run"],
    ["pip install -e .", "run"],
    ["git commit -am 'fix'", "version-control"],
    ["git stash", "version-control"],
    ["echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT && cat patch.txt", "submit"],
  ])("%s is %s", (command, kind) => {
    expect(bash(command).kind).toBe(kind);
  });

  test.each([
    "pytest -q tests",
    "python -m pytest tests/a.py::test_b -x 2>&1 | tail -50",
    "python3.9 -m unittest",
    "tox -e py39",
    "nox",
    "python manage.py test app",
    "./tests/runtests.py --parallel 1",
    "python tests/runtests.py forms",
    "npm test",
    "npm run test:unit",
    "yarn test",
    "pnpm test",
    "node --test",
    "npx vitest run",
    "npx jest a.test.js",
    "mocha",
    "go test ./...",
    "cargo test --lib",
    "mvn -q test",
    "./gradlew test",
    "ctest --output-on-failure",
    "make test",
    "bundle exec rspec",
    "vendor/bin/phpunit",
    "poetry run pytest",
    "bash -lc 'cd /repo && pytest'",
    "bin/test sympy/core",
    "python test_fix.py",
  ])("%s runs tests", (command) => {
    expect(bash(command)).toMatchObject({ kind: "test", tests: true });
  });

  test("words in a here-document or in quotes are no commands", () => {
    expect(bash("cat > a.sh <<'EOF'\npytest\nEOF").tests).toBe(false);
    expect(bash("echo 'run pytest'").tests).toBe(false);
    expect(bash("grep -rn pytest .").tests).toBe(false);
  });

  test("the other tools are known by name", () => {
    expect(actionOf(call("think", { thought: "hm" })).kind).toBe("think");
    expect(actionOf(call("task_tracker", { command: "view" })).kind).toBe("think");
    expect(actionOf(call("finish", { message: "done" })).kind).toBe("submit");
    expect(actionOf(call("terminal", { command: "ls" })).kind).toBe("explore");
    expect(actionOf(call("browse", { url: "http://localhost" })).kind).toBe("explore");
    expect(actionOf({ ...call("bash", {}), arguments: "{broken" }).kind).toBe("other");
  });
});

describe("files", () => {
  test.each([
    ["sed -i -e 's/a/b/' -e 's/c/d/' a.py b.py", ["a.py", "b.py"]],
    ["sed -i.bak 's/a/b/' 'with space.py'", ["with space.py"]],
    ["cd src && cat <<'EOF' > a.py\nx > y\nEOF", ["a.py"]],
    ["printf 'x' >> log.txt 2>/dev/null", ["log.txt"]],
    ["echo x | tee -a one two > /dev/null", ["one", "two"]],
    ["mv a.py b.py && rm c.py", ["a.py", "b.py", "c.py"]],
    ["cp a.py b.py", ["b.py"]],
    ["git checkout HEAD -- a.py", ["a.py"]],
    ["perl -pi -e 's/a/b/' a.py", ["a.py"]],
    [
      "python - <<'EOF'\nfrom pathlib import Path\np = Path('a.py')\np.write_text(p.read_text().replace('x', 'y'))\nopen('b.py', 'w').write('z')\nopen('c.py').read()\nEOF",
      ["b.py", "a.py"],
    ],
    ["python -c \"path = 'x.py'; open(path, mode='w')\"", ["x.py"]],
    ["node -e \"require('fs').writeFileSync('a.js', '')\"", ["a.js"]],
  ])("%s edits %j", (command, files) => {
    expect(bash(command)).toMatchObject({ kind: "edit", files });
  });

  test("the log of a run is no edited file", () => {
    expect(bash("python run.py > out.log 2>&1").files).toEqual([]);
  });

  test("what is shown or searched is told apart from counts and patterns", () => {
    expect(bash("head -n 20 a.py && grep -A 3 'def run' b.py | tail -5").reads).toEqual(["a.py", "b.py"]);
    expect(editor({ command: "view", path: "/testbed/a.py", view_range: [1, 9] })).toMatchObject({
      kind: "explore",
      reads: ["/testbed/a.py"],
      files: [],
    });
  });

  test.each(["create", "str_replace", "insert", "undo_edit"])("the editor's %s edits its path", (command) => {
    expect(editor({ command, path: "/testbed/a.py" })).toMatchObject({
      kind: "edit",
      files: ["/testbed/a.py"],
      command: `${command} /testbed/a.py`,
    });
  });

  test("SWE-agent's commands name their file or have it open", () => {
    const open = "[File: /repo/a.py (9 lines total)]\n1:x\n\n(Open file: /repo/a.py)\n(Current directory: /repo)\nbash-$";
    expect(actionOf(call("edit", { command: "edit 1:1\nx\nend_of_edit" }, open))).toMatchObject({
      kind: "edit",
      files: ["/repo/a.py"],
      command: "edit 1:1",
      failed: false,
    });
    expect(actionOf(call("create", { command: "create b.py" }, open))).toMatchObject({ kind: "edit", files: ["b.py"] });
    expect(actionOf(call("open", { command: 'open "a.py" 12' }, open))).toMatchObject({ kind: "explore", reads: ["a.py"] });
    expect(actionOf(call("search_dir", { command: "search_dir foo src/" }, open))).toMatchObject({ kind: "explore", reads: ["src/"] });
    expect(actionOf(call("python", { command: "python a.py" }, "1"))).toMatchObject({ kind: "run" });
    expect(actionOf(call("edit", { search: "a", replace: "b" }, open))).toMatchObject({ kind: "edit", files: ["/repo/a.py"] });
  });

  test("spellings of one file are seen as one", () => {
    expect(sameFile("src/a.py", "/testbed/src/a.py")).toBe(true);
    expect(sameFile("./a.py", "a.py")).toBe(true);
    expect(sameFile("a.py", "/x/ba.py")).toBe(false);
    expect(sameFile("", "a.py")).toBe(false);
  });
});

describe("failure", () => {
  test("a non-zero exit code is a failure, stated beside the result or in it", () => {
    expect(bash("make", "", { exitCode: 2 }).failed).toBe(true);
    expect(bash("make", "<returncode>1</returncode>\n<output>\n</output>").failed).toBe(true);
    expect(bash("make", "x\n[The command completed with exit code 2.]\n[Current working directory: /a]").failed).toBe(true);
    expect(bash("make", "x\r\nroot@host:/a # \n[Command finished with exit code 2]").failed).toBe(true);
    expect(bash("make", "x\n[The command completed with exit code 0.]").failed).toBe(false);
  });

  test("an exit code of 0 vouches for a plain command, not for the one before a pipe", () => {
    const traceback = 'Traceback (most recent call last):\n  File "a.py", line 1, in <module>\nValueError: no';
    expect(bash("python a.py", traceback, { exitCode: 0 }).failed).toBe(false);
    expect(bash("python a.py 2>&1 | tail -5", traceback, { exitCode: 0 }).failed).toBe(true);
    expect(bash("pytest | tail -3", "1 failed, 2 passed in 0.10s", { exitCode: 0 }).failed).toBe(true);
  });

  test("without a code the source's own word counts, then what is printed", () => {
    expect(bash("python a.py", "fine", { failed: true }).failed).toBe(true);
    expect(bash("python a.py", "bash: python: command not found").failed).toBe(true);
    expect(bash("cat a", "cat: a: No such file or directory").failed).toBe(true);
    expect(
      editor({ command: "str_replace", path: "a" }, "No replacement was performed, old_str `x` did not appear verbatim in a.").failed,
    ).toBe(true);
    expect(editor({ command: "str_replace", path: "a" }, "ERROR:\nNo replacement was performed. Multiple occurrences").error).toBe(
      "No replacement was performed. Multiple occurrences",
    );
  });

  test("a failure that is only looked at is no failure", () => {
    expect(bash("cat log.txt", "start\n2 failed, 3 passed in 0.12s\nValueError: no").failed).toBe(false);
    expect(bash("grep -rn error .", "a.py:1: SyntaxError: x").failed).toBe(false);
    expect(bash("python a.py", null).failed).toBe(false);
  });

  test.each([
    ["pytest", "= 2 failed, 3 passed, 1 error in 0.12s =", { passed: 3, failed: 3 }],
    ["pytest", "5 passed in 0.08s", { passed: 5, failed: 0 }],
    ["python -m unittest", "Ran 5 tests in 0.001s\n\nFAILED (failures=1, errors=1, skipped=1)", { passed: 2, failed: 2 }],
    ["python manage.py test", "Ran 5 tests in 0.001s\n\nOK (skipped=1)\nDestroying test database", { passed: 4, failed: 0 }],
    ["node --test", "# tests 5\n# pass 3\n# fail 2", { passed: 3, failed: 2 }],
    ["npx jest", "Tests:       1 failed, 3 passed, 4 total", { passed: 3, failed: 1 }],
    ["npx vitest run", " Tests  1 failed | 3 passed (4)", { passed: 3, failed: 1 }],
    ["mocha", "  3 passing (20ms)\n  1 failing", { passed: 3, failed: 1 }],
    [
      "cargo test",
      "test result: ok. 3 passed; 0 failed; 0 ignored\ntest result: FAILED. 1 passed; 2 failed; 0 ignored",
      { passed: 4, failed: 2 },
    ],
    ["go test ./...", "--- FAIL: TestA (0.00s)\nFAIL\nFAIL\tpkg\t0.1s", { passed: null, failed: 1 }],
    ["go test ./...", "ok  \tpkg\t0.1s", { passed: null, failed: 0 }],
    ["mvn test", "[ERROR] Tests run: 5, Failures: 1, Errors: 1, Skipped: 1", { passed: 2, failed: 2 }],
    ["rspec", "5 examples, 1 failure", { passed: 4, failed: 1 }],
    ["ctest", "50% tests passed, 1 tests failed out of 2", { passed: 1, failed: 1 }],
    ["phpunit", "OK (5 tests, 7 assertions)", { passed: 5, failed: 0 }],
    ["bin/test", "tests finished: 90 passed, 2 exceptions, in 4.17 seconds", { passed: 90, failed: 2 }],
  ])("%s: %j is counted", (command, result, counts) => {
    expect(bash(command, result)).toMatchObject({ testResult: counts, failed: counts.failed > 0 });
  });

  test("failing tests are named as printed", () => {
    expect(bash("pytest", "FAILED tests/a.py::test_b[1-2] - assert 1 == 2\nFAILED tests/a.py::test_c\n2 failed in 0.1s").failing).toEqual([
      "tests/a.py::test_b[1-2]",
      "tests/a.py::test_c",
    ]);
    expect(bash("python -m unittest", "FAIL: test_b (pkg.Case)\nRan 1 test in 0.1s\n\nFAILED (failures=1)").failing).toEqual([
      "test_b (pkg.Case)",
    ]);
  });
});

describe("signatures", () => {
  const failing = (line: string): string | null =>
    bash("python a.py", `Traceback (most recent call last):\n  File "a.py", line 1\n${line}`).signature;

  test("one failure has one signature across attempts", () => {
    expect(failing("TypeError: <object at 0x7f3a21> has 3 items in /tmp/pytest-1/a.py after 0.31s")).toBe(
      failing("TypeError: <object at 0x55e0aa> has 12 items in /tmp/pytest-27/b.py after 1.5s"),
    );
    expect(failing("ValueError: a")).not.toBe(failing("KeyError: a"));
    expect(failing("django.core.exceptions.ImproperlyConfigured: no 3")).toBe("django.core.exceptions.ImproperlyConfigured: no #");
  });

  test("success and silence have none", () => {
    expect(bash("python a.py", "fine").signature).toBeNull();
    expect(bash("grep -n x a.py", "<returncode>1</returncode>\n<output>\n</output>")).toMatchObject({ failed: true, signature: null });
  });
});

test("the short form is one line without the way there and without here-documents", () => {
  expect(bash("cd /testbed && python   a.py\\\n --x 2>&1 | tail -5").command).toBe("python a.py --x 2>&1 | tail -5");
  expect(bash("cat <<'EOF' > a.py\nx\nEOF\npython a.py").command).toBe("python a.py");
  expect(bash(`python -c "${"x".repeat(500)}"`).command.length).toBeLessThanOrEqual(162);
});

test("any call is read without throwing, twice alike, and left as it was", () => {
  fc.assert(
    fc.property(arbitraryStep({ defects: true, controlTexts: true }), (step) => {
      const before = JSON.stringify(step);
      for (const one of step.calls) {
        expect(actionOf({ ...one })).toEqual(actionOf(one));
        expect(actionOf(one).command).not.toMatch(/[\n\r]/);
      }
      expect(JSON.stringify(step)).toBe(before);
    }),
    { numRuns: 500, seed: 24 },
  );
});

test.each([
  "Error: ",
  "FAILED a::b - ",
  "Traceback (most recent call last):\n",
  "a/b",
  "  at x (",
  "\u001b[31m",
  "[Command finished ",
  "1 passed ",
  "=".repeat(99),
  "é\r\n",
  "' = open(",
])("a result or script of many times %j is read in linear time", (piece) => {
  const start = performance.now();
  bash("pytest", piece.repeat(200_000), { exitCode: 1 });
  bash(`python - <<'EOF'\n${piece.repeat(50_000)}\nEOF`, piece.repeat(50_000));
  expect(performance.now() - start).toBeLessThan(5_000);
});
