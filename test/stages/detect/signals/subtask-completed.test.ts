import { expect, test } from "vitest";
import type { Step } from "../../../../schemas/trajectory.ts";
import { subtaskCompleted } from "../../../../stages/detect/signals/subtask-completed.ts";
import { bashStep, createStep, editStep, shortRun, traceback, viewStep } from "../../../fakes/steps.ts";

const at = (steps: readonly Step[]) => subtaskCompleted({ steps, stepTokens: steps.map(() => 100), headTokens: 100, windowTokens: 65_536 });
const scores = (steps: readonly Step[]): number[] => steps.map((_, index) => at(steps.slice(0, index + 1)).score);

test("a run's milestones are its reproduction, first edit, first working script, green tests and commit", () => {
  expect(scores(shortRun)).toEqual([0, 0, 0, 0, 0.7, 0.55, 0.9, 0, 0, 1, 0.9]);
});

test("the evidence names steps and commands", () => {
  expect(at(shortRun.slice(0, 10)).evidence).toEqual([
    "step 10: `python -m pytest tests -q` passes (5 passed in 0.30s)",
    "step 9: `str_replace /testbed/src/core.py` edits /testbed/src/core.py",
    "step 8: `python -m pytest tests -q` fails (AssertionError: assert 1 == 0)",
  ]);
});

test("tests that stay green are no news, tests that turn red are none either", () => {
  const green = [editStep("/a.py", "x", "y"), bashStep("pytest", "1 passed in 0.1s"), bashStep("pytest", "1 passed in 0.1s")];
  expect(scores(green)).toEqual([0, 0.8, 0]);
  expect(scores([...green, bashStep("pytest", "1 failed in 0.1s")]).at(-1)).toBe(0);
});

test("a missing module reproduces nothing", () => {
  const looks = [bashStep("ls"), viewStep("/a.py"), bashStep("grep -n x /a.py", "1:x")];
  expect(at([...looks, bashStep("python r.py", traceback("ModuleNotFoundError: No module named 'numpy'"))]).score).toBe(0);
  expect(at([...looks, bashStep("python r.py", traceback("ValueError: x"))]).score).toBe(0.7);
  expect(at([bashStep("python r.py", traceback("ValueError: x"))]).score).toBe(0);
});

test("a script that works after it alone was repaired verifies nothing", () => {
  const steps = [
    createStep("/r.py", "x"),
    bashStep("python /r.py", traceback("NameError: x")),
    editStep("/r.py", "x", "y"),
    bashStep("python /r.py", "1"),
  ];
  expect(scores(steps)).toEqual([0, 0, 0, 0]);
});

test("words alone are no milestone, but strengthen one", () => {
  const words = { thought: "All tests pass now." };
  expect(at([{ ...bashStep("ls"), ...words }]).score).toBe(0);
  const green = [editStep("/a.py", "x", "y"), { ...bashStep("pytest", "1 passed in 0.1s"), ...words }];
  expect(at(green)).toMatchObject({ score: 0.9, evidence: expect.arrayContaining(['the last turn says: "All tests pass"']) });
});
