import { expect, test } from "vitest";
import type { Step } from "../../../../schemas/trajectory.ts";
import { subtaskCompleted } from "../../../../stages/detect/signals/subtask-completed.ts";
import { agents } from "../../../fakes/dialect-steps.ts";
import { lastEvidence, scoresAfter, spoken } from "../../../fakes/signal-scores.ts";
import { bashStep, createStep, editStep, shortRun, traceback, viewStep } from "../../../fakes/steps.ts";

const scores = (steps: readonly Step[]): number[] => scoresAfter(subtaskCompleted, steps);
const change = editStep("/testbed/core.py", "x", "y");
const call = (name: string, args: unknown): Step => {
  const [template] = bashStep("ls").calls;
  if (template === undefined) throw new Error("a bash step has a call");
  return { ...bashStep("ls"), calls: [{ ...template, name, arguments: JSON.stringify(args) }] };
};

test("in a short run the script works after the first change, and the tests after the second", () => {
  expect(spoken(subtaskCompleted, shortRun)).toEqual([
    [7, 0.9],
    [10, 1],
  ]);
});

test("the evidence names the check, the change and the failure before", () => {
  expect(lastEvidence(subtaskCompleted, shortRun.slice(0, 10))).toEqual([
    "step 10: `python -m pytest tests -q` passes (5 passed in 0.30s)",
    "step 9: `str_replace /testbed/src/core.py` changes /testbed/src/core.py",
    "step 8: `python -m pytest tests -q` fails (AssertionError: assert 1 == 0)",
  ]);
});

test("tests that stay green are no news, tests that turn red are none either", () => {
  const green = [change, bashStep("pytest", "1 passed in 0.1s"), bashStep("pytest", "1 passed in 0.1s")];
  expect(scores(green)).toEqual([0, 0.8, 0]);
  expect(scores([...green, bashStep("pytest", "1 failed in 0.1s")]).at(-1)).toBe(0);
  expect(scores([...green, change, bashStep("pytest", "1 passed in 0.1s")]).at(-1)).toBe(0.8);
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

test("looking around or installing after a change closes nothing, and neither does a runner that finds no tests", () => {
  expect(
    scores([change, viewStep("/testbed/core.py"), bashStep("pip install pytest", "ok"), bashStep("pytest", "no tests ran in 0.01s")]),
  ).toEqual([0, 0, 0, 0]);
});

test("items of a to-do list are told once, when they are done", () => {
  const todo = (...states: string[]): Step =>
    call("TodoWrite", { todos: states.map((status, index) => ({ content: `item ${index}`, status, activeForm: "x" })) });
  expect(
    scores([todo("pending", "pending"), todo("completed", "pending"), todo("completed", "in_progress"), todo("completed", "completed")]),
  ).toEqual([0, 0.9, 0, 0.9]);
  expect(lastEvidence(subtaskCompleted, [todo("completed")])).toEqual(['step 1 marks as done: "item 0"']);
});

test("every product's to-do list is read", () => {
  expect(scores([call("task_tracker", { command: "plan", task_list: [{ title: "a", status: "done" }] })])).toEqual([0.9]);
  expect(scores([call("update_plan", { plan: [{ step: "a", status: "completed" }] })])).toEqual([0.9]);
  expect(scores([call("write_todos", { todos: [{ description: "a", status: "completed" }] })])).toEqual([0.9]);
  expect(scores([call("TodoWrite", { todos: "{broken" })])).toEqual([0]);
});

test("removing one's own scripts is tidying up; removing a part of the project, or submitting on the way, is not", () => {
  const own = createStep("/testbed/reproduce.py", "x");
  expect(scores([own, bashStep("rm -f /testbed/reproduce.py")])).toEqual([0, 0.6]);
  expect(scores([viewStep("/testbed/core.py"), bashStep("rm /testbed/core.py")])).toEqual([0, 0]);
  expect(scores([own, bashStep("rm -f /testbed/reproduce.py && submit")])).toEqual([0, 0]);
});

test.each(Object.entries(agents))("the cycle of changing and checking closes for %s", (_, agent) => {
  const red = agent.run("cargo test", "test result: FAILED. 1 passed; 1 failed; 0 ignored", 101);
  const green = agent.run("cargo test", "test result: ok. 2 passed; 0 failed; 0 ignored");
  expect(scores([agent.look("src/lib.rs"), red, agent.change("src/lib.rs"), green, green])).toEqual([0, 0, 0, 1, 0]);
});
