import { describe, expect, test } from "vitest";
import { noOpEditShare } from "../../../../stages/filter/conduct/edits.ts";
import { testRunsAfterEdit } from "../../../../stages/filter/conduct/tests.ts";
import { callStep, conductOfRun, conductOfSteps, shellStep } from "../../../fakes/seen.ts";
import { createStep, editStep, trajectoryOf, viewStep } from "../../../fakes/steps.ts";

const look = viewStep("/testbed/src/core.py", "     1\tx = 1");
const edit = editStep("/testbed/src/core.py", "x = 1", "x = 2");
const nothingDone = editStep("/testbed/src/core.py", "y", "z", "", "No replacement was performed, old_str `y` did not appear verbatim.");
const submit = callStep("submit", {}, "diff --git a/src/core.py b/src/core.py");

test("edits that fail or change nothing are counted among the edits; removing scratch files is no edit", () => {
  expect(noOpEditShare(conductOfSteps([look, edit, nothingDone, shellStep("rm reproduce.py")]))).toBe(0.5);
  expect(
    noOpEditShare(
      conductOfSteps([look, editStep("/a.py", "a", "a", "", "No changes to make: old_string and new_string are exactly the same.")]),
    ),
  ).toBe(1);
  expect(noOpEditShare(conductOfSteps([look, shellStep("rm reproduce.py")]))).toBeNull();
});

const testRun = shellStep("python -m pytest tests -q", "5 passed in 0.30s");

test("tests count that ran after the last change of the sources, in the same command too", () => {
  expect(testRunsAfterEdit(conductOfSteps([look, testRun, edit, submit]))).toBe(0);
  expect(testRunsAfterEdit(conductOfSteps([look, edit, testRun, testRun, submit]))).toBe(2);
  expect(testRunsAfterEdit(conductOfSteps([look, shellStep("sed -i 's/1/2/' src/core.py && pytest", "1 passed in 0.1s"), submit]))).toBe(1);
});

test("a test command that ran no test proves nothing", () => {
  const none = [shellStep("pytest", "no tests ran in 0.01s", 5), shellStep("pytest", "bash: pytest: command not found", 127)];
  expect(testRunsAfterEdit(conductOfSteps([look, edit, ...none, submit]))).toBe(0);
});

test("a runner that stops before its first test proves nothing, one whose counts are cut off does", () => {
  const config = shellStep(
    "python -m pytest tests/test_core.py -v",
    "ERROR: while parsing the following warning configuration:\n  ignore",
    4,
  );
  expect(testRunsAfterEdit(conductOfSteps([look, edit, config, submit]))).toBe(0);
  const cut = shellStep("pytest tests | head -20", "collected 3 items\n\ntests/test_core.py F\n\n=== FAILURES ===\n    assert 1 == 2", 1);
  expect(testRunsAfterEdit(conductOfSteps([look, edit, cut, submit]))).toBe(1);
  const unbuilt = shellStep("go test ./...", "# acme/core\n./core.go:3: undefined: x\nFAIL\tacme/core [build failed]", 1);
  expect(testRunsAfterEdit(conductOfSteps([look, edit, unbuilt, submit]))).toBe(0);
});

describe("a script of the run's own that is named after tests", () => {
  const testedBy = (text: string, answer = "all fine", exit = 0): number | null =>
    testRunsAfterEdit(
      conductOfSteps([look, edit, createStep("/testbed/test_fix.py", text), shellStep("python test_fix.py", answer, exit), submit]),
    );

  test("counts where it loads the project or starts a program", () => {
    expect(testedBy("import os, core\nassert core.x == 2")).toBe(1);
    expect(testedBy("def f():\n    from src.core import x\n    assert x == 2")).toBe(1);
    expect(testedBy("import subprocess\nsubprocess.run(['make', 'check'])")).toBe(1);
  });

  test("proves nothing where it tries a copy, reads the source's text, or could not load what it was to test", () => {
    expect(testedBy("def fixed(x):\n    return x + 1\nassert fixed(1) == 2\nprint('all fine')")).toBe(0);
    expect(testedBy("import os\nassert 'x = 2' in open('src/core.py').read()")).toBe(0);
    expect(testedBy("import core", "Could not import required modules: build the extensions first", 1)).toBe(0);
  });

  test("counts where it was there before the run, and from when it is made to load the project", () => {
    const run = shellStep("python tests/test_all.py", "all fine");
    expect(testRunsAfterEdit(conductOfSteps([look, viewStep("/testbed/tests/test_all.py", "     1\tpass"), edit, run, submit]))).toBe(1);
    const written = createStep("/testbed/test_fix.py", "print('all fine')");
    const mended = editStep("/testbed/test_fix.py", "print('all fine')", "import core\nassert core.x == 2");
    const own = shellStep("python test_fix.py", "all fine");
    expect(testRunsAfterEdit(conductOfSteps([look, edit, written, own, mended, own, submit]))).toBe(1);
  });

  test("is no test of the change that it makes itself", () => {
    const text = "text = open('/testbed/src/core.py').read()\nopen('/testbed/src/core.py', 'w').write(text.replace('x = 1', 'x = 2'))";
    const made = [createStep("/testbed/test_fix.py", text), shellStep("python test_fix.py", "done")];
    expect(testRunsAfterEdit(conductOfSteps([look, ...made, submit]))).toBe(0);
  });
});

test("a file name in quotes of its own is the name without them", () => {
  const quoted = callStep("create", { filename: '"test_sort.py"' }, "[File: test_sort.py (1 lines total)]");
  expect(testRunsAfterEdit(conductOfSteps([look, edit, testRun, quoted, submit]))).toBe(1);
});

test("notes, scratch files and tidying up after the tests are no change that needs testing", () => {
  const after = [
    createStep("/testbed/SUMMARY.md", "# Done"),
    createStep("/testbed/reproduce.py", "x"),
    shellStep("rm /testbed/reproduce.py"),
  ];
  expect(testRunsAfterEdit(conductOfSteps([look, edit, testRun, ...after, submit]))).toBe(1);
});

test("it is unknown where nothing is changed or nothing handed in", () => {
  expect(testRunsAfterEdit(conductOfSteps([look, testRun, submit]))).toBeNull();
  const open = trajectoryOf([look, edit, testRun]);
  expect(testRunsAfterEdit(conductOfRun({ ...open, outcome: { ...open.outcome, exit: "unknown" } }))).toBeNull();
});
