import { expect, test } from "vitest";
import type { Step } from "../../../../schemas/trajectory.ts";
import { newDirection } from "../../../../stages/detect/signals/new-direction.ts";
import { bashStep, editStep, shortRun, traceback, viewStep } from "../../../fakes/steps.ts";

const at = (steps: readonly Step[]) => newDirection({ steps, stepTokens: steps.map(() => 100), headTokens: 100, windowTokens: 65_536 });
const scores = (steps: readonly Step[]): number[] => steps.map((_, index) => at(steps.slice(0, index + 1)).score);

const failing = (seed: number): Step =>
  bashStep("python r.py", traceback(`ValueError: got ${seed} items at 0x${seed}f in /tmp/x${seed}/r.py`));
const edit = (seed: number): Step => editStep("/testbed/core.py", `${seed}`, `${seed + 1}`);

test("it speaks at the second failure of one kind, fully at the third, and less after it", () => {
  expect(scores([failing(1), edit(1), failing(2), edit(2), failing(3), edit(3), failing(4)])).toEqual([0, 0, 0.5, 0, 1, 0, 0.75]);
});

test("the evidence shows the failing lines", () => {
  expect(at([failing(1), edit(1), failing(2)]).evidence).toEqual([
    "step 1: `python r.py` failed: ValueError: got 1 items at 0x1f in /tmp/x1/r.py",
    "step 3: `python r.py` failed: ValueError: got 2 items at 0x2f in /tmp/x2/r.py",
  ]);
});

test("success of what had failed ends the row", () => {
  expect(at([failing(1), failing(2), bashStep("python r.py", "fine"), failing(3)]).score).toBe(0);
  expect(at([failing(1), failing(2), bashStep("pip install x", "ok"), failing(3)]).score).toBe(1);
});

test("three failing attempts in a row count even when their errors differ", () => {
  const other = (name: string): Step => bashStep(`python ${name}.py`, traceback(`${name}Error: no`));
  expect(scores([other("Key"), other("Value"), other("Type")])).toEqual([0, 0, 0.6]);
});

test("an editor that refuses the same edit thrice is a loop, and so is any call repeated with the same answer", () => {
  const refused = editStep("/a.py", "x", "y", "", "No replacement was performed, old_str `x` did not appear verbatim in /a.py.");
  expect(at([refused, refused, refused]).score).toBe(1);
  expect(at([viewStep("/a.py", "1"), viewStep("/a.py", "1"), viewStep("/a.py", "1")])).toMatchObject({
    score: 1,
    evidence: ["steps 1 to 3 are the same call with the same answer: `view /a.py`"],
  });
});

test("failures long ago, and searches without a hit, do not count", () => {
  const looks = Array.from({ length: 9 }, (_, index) => viewStep(`/${index}.py`, "x"));
  expect(at([failing(1), failing(2), ...looks, failing(3)]).score).toBe(0);
  const none = (name: string): Step => bashStep(`cat ${name}`, `cat: ${name}: No such file or directory`);
  expect(at([none("a"), none("b"), none("c")]).score).toBe(0);
  expect(scores(shortRun).every((score) => score < 0.5)).toBe(true);
});
