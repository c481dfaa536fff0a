import { expect, test } from "vitest";
import type { Step } from "../../../../schemas/trajectory.ts";
import { phaseChange } from "../../../../stages/detect/signals/phase-change.ts";
import { agents } from "../../../fakes/dialect-steps.ts";
import { saidAfter, spoken } from "../../../fakes/signal-scores.ts";
import { bashStep, createStep, editStep, shortRun, traceback, viewStep } from "../../../fakes/steps.ts";

const speaks = (steps: readonly Step[]) => spoken(phaseChange, steps);
const look = (name: string): Step => viewStep(`/testbed/${name}.py`);
const edit = editStep("/testbed/a.py", "x", "y");
const passes = bashStep("pytest", "1 passed in 0.1s");

test("the cut lies before the first step of a phase", () => {
  expect(speaks(shortRun)).toEqual([
    [3, 1],
    [5, 0.8],
    [6, 0.8],
  ]);
});

test("the evidence says which steps are what", () => {
  expect(saidAfter(phaseChange, shortRun)[2]?.evidence).toEqual(["steps 1 to 3: explore", "then steps 4 to 5: reproduce"]);
});

test("trying before the sources change is reproducing, after it testing", () => {
  expect(saidAfter(phaseChange, [look("a"), passes, edit, passes]).map(({ evidence }) => evidence[1])).toEqual([
    "then step 2: reproduce",
    "then step 3: edit",
    "then step 4: test",
    undefined,
  ]);
});

test("coming back to a phase counts only between stretches of work", () => {
  const there = [look("a"), look("b"), look("c"), edit];
  expect(speaks([...there, look("d"), edit, look("e"), edit]).map(([cut]) => cut)).toEqual([3]);
  expect(speaks([...there, look("d"), look("e"), look("f"), edit, edit])).toEqual([
    [3, 0.9],
    [7, 0.6],
  ]);
});

test("thinking and installing belong to the phase they interrupt", () => {
  const think: Step = { ...look("a"), calls: look("a").calls.map((call) => ({ ...call, name: "think", arguments: '{"thought": "hm"}' })) };
  expect(speaks([look("a"), think, bashStep("pip install x", "ok"), look("b"), look("c")])).toEqual([]);
});

test("a check that fails for want of a module is no reproduction", () => {
  const missing = bashStep("python -c 'import x'", traceback("ModuleNotFoundError: No module named 'x'"));
  expect(speaks([look("a"), look("b"), missing, look("c")])).toEqual([]);
});

test("tidying up opens the phase of submitting", () => {
  const steps = [look("a"), createStep("/testbed/reproduce.py", "x"), bashStep("rm /testbed/reproduce.py"), bashStep("submit")];
  expect(saidAfter(phaseChange, steps)[1]?.evidence).toEqual(["step 2: reproduce", "then steps 3 to 4: submit"]);
});

test("one long phase has no change", () => {
  expect(speaks([look("a"), look("b"), look("c"), look("d")])).toEqual([]);
});

test.each(Object.entries(agents))("%s has the phases of any other", (_, agent) => {
  const red = agent.run("go test ./...", "--- FAIL: TestA (0.00s)\nFAIL\nFAIL\tpkg\t0.1s", 1);
  const green = agent.run("go test ./...", "ok  \tpkg\t0.1s");
  expect(speaks([agent.look("a.go"), agent.look("b.go"), red, agent.change("a.go"), green, green])).toEqual([
    [2, 0.8],
    [3, 0.7],
    [4, 0.8],
  ]);
});
