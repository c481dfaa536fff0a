import { expect, test } from "vitest";
import { loop } from "../../../../stages/detect/signals/loop.ts";
import { agents } from "../../../fakes/dialect-steps.ts";
import { lastEvidence, scoresAfter } from "../../../fakes/signal-scores.ts";
import { bashStep, editStep, viewStep, wordStep } from "../../../fakes/steps.ts";

const same = viewStep("/a.py", "1");

test("the third turn in a row with the same calls and answers is a loop, each further one less of a surprise", () => {
  expect(scoresAfter(loop, [same, same, same, same, same])).toEqual([0, 0, 1, 0.75, 0.75]);
});

test("another answer is no loop: waiting for something to change is work", () => {
  expect(scoresAfter(loop, [bashStep("ps", "1"), bashStep("ps", "2"), bashStep("ps", "3")])).toEqual([0, 0, 0]);
});

test("other words around the same call change nothing", () => {
  expect(
    scoresAfter(
      loop,
      ["One.", "Two.", "Three."].map((thought) => ({ ...same, thought })),
    ),
  ).toEqual([0, 0, 1]);
});

test("something in between ends it", () => {
  expect(scoresAfter(loop, [same, same, viewStep("/b.py", "1"), same, same])).toEqual([0, 0, 0, 0, 0]);
});

test("two turns in turn are a loop at the third round", () => {
  const run = bashStep("python r.py", "ValueError: x");
  const edit = editStep("/a.py", "x", "y");
  expect(scoresAfter(loop, [edit, run, edit, run, edit, run, edit])).toEqual([0, 0, 0, 0, 0, 1, 0.75]);
});

test("edits that differ make a round another round", () => {
  const run = bashStep("python r.py", "ValueError: x");
  const edits = ["a", "b", "c"].map((text) => editStep("/a.py", "x", text));
  expect(
    scoresAfter(
      loop,
      edits.flatMap((edit) => [edit, run]),
    ),
  ).toEqual([0, 0, 0, 0, 0, 0]);
});

test("turns without a call are talk, no loop", () => {
  const talk = wordStep("Done.", "Please go on.");
  expect(scoresAfter(loop, [talk, talk, talk, talk])).toEqual([0, 0, 0, 0]);
});

test("the evidence names the steps and the call", () => {
  expect(lastEvidence(loop, [same, same, same])).toEqual(["steps 1 to 3 are the same call with the same answer: `view /a.py`"]);
});

test.each(Object.entries(agents))("%s goes round in circles like any other", (_, { run }) => {
  const one = run("make", "make: *** [all] Error 2", 2);
  expect(scoresAfter(loop, [one, one, one])).toEqual([0, 0, 1]);
});
