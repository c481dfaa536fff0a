import { expect, test } from "vitest";
import type { TrajectoryMetrics } from "../../../../schemas/metrics.ts";
import type { Trajectory } from "../../../../schemas/trajectory.ts";
import { trajectoryMeasures } from "../../../../stages/filter/measures/trajectory-measures.ts";
import { uncontaminated } from "../../../fakes/no-evaluation.ts";
import { callStep } from "../../../fakes/seen.ts";
import { bashStep, trajectoryOf } from "../../../fakes/steps.ts";

const measureAll = (trajectory: Trajectory): Partial<TrajectoryMetrics> => {
  const seen = { trajectory, reasons: [], rendered: null, base: null, segments: null, rejectedBy: null, contamination: uncontaminated };
  return Object.fromEntries(Object.entries(trajectoryMeasures).map(([name, measure]) => [name, measure(seen)]));
};

const long = 60_000; // characters; anything quadratic in it takes a quarter of a minute and more
const pieces = [
  "a",
  " ",
  "\n",
  "https://github.com/",
  "https://a",
  "git log --all ",
  "git ",
  "pip install ",
  "Ã",
  "â€",
  "\u001b[",
  "\ufffd",
  "-x\n+y\n",
  "diff --git a/a b/a\n",
  "def test_a():\n",
  "it.each(",
  "sh: line 1: ",
  "1.5 s ",
  "Requirement already satisfied: a\n",
  "[SECRET:a:1",
  "container a",
  "ERROR: ",
  "..",
  "修",
];

test.each(pieces)("text that is %j again and again costs no more than its length", (piece) => {
  const text = piece.repeat(Math.ceil(long / piece.length));
  const run = trajectoryOf(
    [
      bashStep(text, text, text),
      callStep("str_replace_editor", { command: "str_replace", path: "/a/tests/test_a.py", old_str: text, new_str: text }, text),
      callStep("WebFetch", { url: text, query: text }, text),
      { ...bashStep(`git show ${text}`, text), feedback: [text] },
    ],
    text,
  );
  const started = performance.now();
  for (const patch of [text, null]) {
    const found = measureAll({ ...run, instance: "a__a-1", outcome: { ...run.outcome, patch } });
    expect(found.steps).toBe(4);
  }
  expect(performance.now() - started).toBeLessThan(8_000);
});

test("a run of thousands of steps is measured in time, whether they are all alike or none is", () => {
  const started = performance.now();
  for (const step of [(index: number) => bashStep(`git show ${index}`, `commit ${index}`), () => bashStep("git log --all", "x")])
    expect(measureAll(trajectoryOf(Array.from({ length: 5_000 }, (_, index) => step(index)))).steps).toBe(5_000);
  const many = Array.from(
    { length: 3_000 },
    (_, index) => `diff --git a/h${index}.py b/h${index}.py\n--- a/h${index}.py\n+++ b/h${index}.py\n@@ -1 +1 @@\n-x\n+y\n`,
  );
  const edits = Array.from({ length: 3_000 }, (_, index) =>
    bashStep(`cat tests/test_f${index}.py; sed -i s/x/y/ tests/test_f${index}.py src/g${index}.py`),
  );
  expect(measureAll(trajectoryOf(edits, many.join(""))).patchFilesUnseen).toBe(50);
  expect(performance.now() - started).toBeLessThan(20_000);
});
