import { describe, expect, test } from "vitest";
import type { Step } from "../../../../schemas/trajectory.ts";
import { milestone } from "../../../../stages/detect/signals/milestone.ts";
import { agents } from "../../../fakes/dialect-steps.ts";
import { lastEvidence, scoresAfter, spoken } from "../../../fakes/signal-scores.ts";
import { bashStep, createStep, editStep, shortRun, traceback, viewStep } from "../../../fakes/steps.ts";

const scores = (steps: readonly Step[]): number[] => scoresAfter(milestone, steps);
const looks = [bashStep("ls"), viewStep("/testbed/core.py"), bashStep("grep -n x /testbed/core.py", "1:x")];

test("a run's milestones are its reproduction, first change, green tests and commit", () => {
  expect(spoken(milestone, shortRun)).toEqual([
    [5, 0.9],
    [6, 0.5],
    [10, 1],
    [11, 0.9],
  ]);
});

test("the evidence names steps and commands", () => {
  expect(lastEvidence(milestone, shortRun.slice(0, 10))).toEqual([
    "step 10: `python -m pytest tests -q` passes (5 passed in 0.30s): green",
    "step 8: `python -m pytest tests -q` fails (AssertionError: assert 1 == 0): it was red",
  ]);
});

describe("the bug is reproduced", () => {
  test("by the first check that fails, and once", () => {
    const fails = bashStep("python r.py", traceback("ValueError: x"));
    expect(scores([...looks, fails, fails])).toEqual([0, 0, 0, 0.9, 0]);
  });

  test("not by a missing module, nor by a question for a version", () => {
    expect(scores([...looks, bashStep("python r.py", traceback("ModuleNotFoundError: No module named 'numpy'"))]).at(-1)).toBe(0);
    expect(scores([...looks, bashStep("python -m pytest --version", "ImportError: no")]).at(-1)).toBe(0);
  });

  test("perhaps by a script that runs through, since it may print the wrong thing; a failure after it still counts", () => {
    expect(
      scores([
        createStep("/reproduce.py", "x"),
        bashStep("python /reproduce.py", "3"),
        bashStep("python /reproduce.py", traceback("ValueError: x")),
      ]),
    ).toEqual([0, 0.6, 0.9]);
  });

  test("not after the sources were changed", () => {
    expect(scores([editStep("/testbed/core.py", "x", "y"), bashStep("python r.py", traceback("ValueError: x"))])).toEqual([0, 0]);
  });
});

describe("the first change", () => {
  test("is that of the sources, not of the agent's own script or a test, and comes after looking around", () => {
    const change = editStep("/testbed/core.py", "x", "y");
    expect(scores([...looks, createStep("/testbed/reproduce.py", "x"), change, change])).toEqual([0, 0, 0, 0, 0.5, 0]);
    expect(scores([...looks, editStep("/testbed/tests/test_core.py", "x", "y")])).toEqual([0, 0, 0, 0]);
    expect(scores([change])).toEqual([0]);
  });

  test("may be made by a script that was written in an earlier step", () => {
    const script = createStep("/testbed/apply_fix.py", "open('core.py', 'w').write('y')\n");
    expect(scores([...looks, script, bashStep("cd /testbed && python apply_fix.py", "done")])).toEqual([0, 0, 0, 0, 0.5]);
  });

  test("does not count where the editor refused it", () => {
    const refused = editStep("/testbed/core.py", "x", "y", "", "No replacement was performed, old_str did not appear verbatim.");
    expect(scores([...looks, refused])).toEqual([0, 0, 0, 0]);
  });
});

test("tests that were never red do not turn green; counted ones that were red do, even when run another way", () => {
  const change = editStep("/testbed/core.py", "x", "y");
  expect(scores([change, bashStep("pytest", "1 passed in 0.1s")])).toEqual([0, 0]);
  expect(scores([change, bashStep("pytest -x", "1 failed in 0.1s"), change, bashStep("pytest tests", "4 passed in 0.1s")])).toEqual([
    0, 0, 0, 1,
  ]);
});

test("a commit that failed, and the word in another command, are none", () => {
  expect(scores([bashStep("git -C /repo commit -m x", "[main 1] x")])).toEqual([0.9]);
  expect(
    scores([{ ...bashStep("git commit -m x"), calls: bashStep("git commit -m x").calls.map((call) => ({ ...call, exitCode: 1 })) }]),
  ).toEqual([0]);
  expect(scores([bashStep("git log --grep 'git commit'", "x")])).toEqual([0]);
});

test.each(Object.entries(agents))("%s reproduces, changes and turns tests green like any other", (_, { look, change, run }) => {
  const red = run("python -m pytest -q", "FAILED t.py::test_a - AssertionError: no\n1 failed in 0.10s", 1);
  const steps = [
    look("src/a.py"),
    look("src/b.py"),
    look("src/c.py"),
    red,
    change("src/a.py"),
    run("python -m pytest -q", "1 passed in 0.10s"),
  ];
  expect(scores(steps)).toEqual([0, 0, 0, 0.9, 0.5, 1]);
});
