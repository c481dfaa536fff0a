import { expect, test } from "vitest";
import type { Step } from "../../../../schemas/trajectory.ts";
import { repeatedFailures } from "../../../../stages/detect/signals/repeated-failures.ts";
import { agents } from "../../../fakes/dialect-steps.ts";
import { lastEvidence, scoresAfter } from "../../../fakes/signal-scores.ts";
import { bashStep, editStep, shortRun, traceback, viewStep } from "../../../fakes/steps.ts";

const scores = (steps: readonly Step[]): number[] => scoresAfter(repeatedFailures, steps);
const failing = (seed: number): Step =>
  bashStep("python r.py", traceback(`ValueError: got ${seed} items at 0x${seed}f in /tmp/x${seed}/r.py`));
const edit = (seed: number): Step => editStep("/testbed/core.py", `${seed}`, `${seed + 1}`);

test("it speaks at the second failure of one kind, fully at the third, and less after it", () => {
  expect(scores([failing(1), edit(1), failing(2), edit(2), failing(3), edit(3), failing(4)])).toEqual([0, 0, 0.5, 0, 1, 0, 0.75]);
});

test("the evidence shows the failing lines", () => {
  expect(lastEvidence(repeatedFailures, [failing(1), edit(1), failing(2)])).toEqual([
    "step 1: `python r.py` failed: ValueError: got 1 items at 0x1f in /tmp/x1/r.py",
    "step 3: `python r.py` failed: ValueError: got 2 items at 0x2f in /tmp/x2/r.py",
  ]);
});

test("success of what had failed ends the row, however its output is shaped; success of something else does not", () => {
  expect(scores([failing(1), failing(2), bashStep("python r.py", "fine"), failing(3)]).at(-1)).toBe(0);
  expect(scores([failing(1), failing(2), bashStep("python r.py 2>&1 | tail -5", "fine"), failing(3)]).at(-1)).toBe(0);
  expect(scores([failing(1), failing(2), bashStep("pip install x", "ok"), failing(3)]).at(-1)).toBe(1);
});

test("passing tests end the row of whatever failed", () => {
  expect(scores([failing(1), failing(2), bashStep("pytest", "3 passed in 0.10s"), failing(3)]).at(-1)).toBe(0);
});

test("three failing attempts in a row count even when their errors differ", () => {
  const other = (name: string): Step => bashStep(`python ${name}.py`, traceback(`${name}Error: no`));
  expect(scores([other("Key"), other("Value"), other("Type")])).toEqual([0, 0, 0.6]);
});

test("an editor that refuses counts, a search without a hit does not", () => {
  const refused = (old: string): Step =>
    editStep("/a.py", old, "y", "", "No replacement was performed, old_str did not appear verbatim in /a.py.");
  expect(scores([refused("x"), refused("z")])).toEqual([0, 0.5]);
  const none = (name: string): Step => bashStep(`cat ${name}`, `cat: ${name}: No such file or directory`);
  expect(scores([none("a"), none("b"), none("c")])).toEqual([0, 0, 0]);
});

test("failures long ago do not count", () => {
  const looks = Array.from({ length: 9 }, (_, index) => viewStep(`/${index}.py`, "x"));
  expect(scores([failing(1), failing(2), ...looks, failing(3)]).at(-1)).toBe(0);
  expect(scores(shortRun).every((score) => score === 0)).toBe(true);
});

test.each(Object.entries(agents))("a failure is a failure in the words of %s", (_, agent) => {
  const fails = agent.run("python r.py", traceback("ValueError: no"), 1);
  expect(scores([fails, agent.change("/repo/core.py"), fails, agent.change("/repo/core.py"), fails])).toEqual([0, 0, 0.5, 0, 1]);
});
