import { expect, test } from "vitest";
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
