import { expect, test } from "vitest";
import type { Step } from "../../../../schemas/trajectory.ts";
import { directionChange } from "../../../../stages/detect/signals/direction-change.ts";
import { agents } from "../../../fakes/dialect-steps.ts";
import { saidAfter, spoken } from "../../../fakes/signal-scores.ts";
import { bashStep, editStep, traceback, viewStep } from "../../../fakes/steps.ts";

const speaks = (steps: readonly Step[]) => spoken(directionChange, steps);
const fails = (error = "ValueError: no"): Step => bashStep("python r.py", traceback(error));
const edit = (path: string, thought = ""): Step => editStep(path, "x", "y", thought);
const stuck = [edit("/repo/a.py"), fails(), edit("/repo/a.py"), fails()];

test("after two failures a change of another file is a new direction, and the cut lies before it", () => {
  expect(speaks([...stuck, edit("/repo/b.py"), fails()])).toEqual([[4, 0.6]]);
});

test("it is a feasible one when the failure stays away", () => {
  expect(speaks([...stuck, edit("/repo/b.py"), bashStep("python r.py", "fine")])).toEqual([[4, 0.8]]);
});

test("the same file and the same command are the same direction", () => {
  expect(speaks([...stuck, edit("/repo/a.py"), fails(), edit("/repo/a.py"), fails()])).toEqual([]);
});

test("one failure is not enough, and neither are failures that were overcome", () => {
  expect(speaks([edit("/repo/a.py"), fails(), edit("/repo/b.py")])).toEqual([]);
  expect(speaks([...stuck, bashStep("python r.py", "fine"), edit("/repo/b.py")])).toEqual([]);
});

test("another class of command counts", () => {
  const pip = bashStep("pip install -e .", "error: no compiler", "");
  const failing = { ...pip, calls: pip.calls.map((call) => ({ ...call, exitCode: 1 })) };
  expect(speaks([failing, failing, bashStep("conda create -n x", "done")])[0]?.[0]).toBe(2);
});

test("words about another way count, with looking around as well", () => {
  const words = "That does not work. Let me try a different approach.";
  expect(speaks([...stuck, viewStep("/repo/c.py", "x", words)]).map(([cut]) => cut)).toEqual([4]);
  expect(speaks([...stuck, viewStep("/repo/c.py", "x", "Let me look at the caller.")])).toEqual([]);
});

test("the more differs, the more it is a new direction", () => {
  const next = { ...bashStep("node other.js", "fine"), thought: "Alternatively, run it in node." };
  expect(speaks([...stuck, next])).toEqual([[4, 1]]);
});

test("one row of failures is answered once", () => {
  expect(speaks([...stuck, edit("/repo/b.py"), edit("/repo/c.py"), edit("/repo/d.py")]).map(([cut]) => cut)).toEqual([4]);
});

test("what comes long after the failures does not answer them", () => {
  const looks = Array.from({ length: 4 }, (_, index) => viewStep(`/repo/${index}.py`, "x"));
  expect(speaks([...stuck, ...looks, edit("/repo/b.py")])).toEqual([]);
});

test("the evidence shows the failures and what is new", () => {
  expect(saidAfter(directionChange, [...stuck, edit("/repo/b.py"), fails()])[3]?.evidence).toEqual([
    "step 2: `python r.py` failed: ValueError: no",
    "step 4: `python r.py` failed: ValueError: no",
    "step 5 turns to /repo/b.py",
  ]);
});

test.each(Object.entries(agents))("%s turns elsewhere like any other", (_, { change, run }) => {
  const failing = run("python r.py", traceback("ValueError: no"), 1);
  expect(speaks([change("src/a.py"), failing, change("src/a.py"), failing, change("src/b.py"), failing])).toEqual([[4, 0.6]]);
});
