import { expect, test } from "vitest";
import type { Step } from "../../../../schemas/trajectory.ts";
import { workingSetChange } from "../../../../stages/detect/signals/working-set-change.ts";
import { agents } from "../../../fakes/dialect-steps.ts";
import { saidAfter, spoken } from "../../../fakes/signal-scores.ts";
import { bashStep, editStep, viewStep } from "../../../fakes/steps.ts";

const speaks = (steps: readonly Step[]) => spoken(workingSetChange, steps);
const view = (path: string): Step => viewStep(`/repo/${path}`);
const edit = (path: string): Step => editStep(`/repo/${path}`, "x", "y");
const onParser = [view("src/parser.py"), view("src/parser.py"), edit("src/parser.py"), edit("src/parser.py")];

test("it speaks where the work moves to another folder, before the first step there", () => {
  expect(speaks([...onParser, view("docs/guide.md"), edit("docs/guide.md"), edit("docs/guide.md")])).toEqual([[4, 1]]);
});

test("another file of the same folder counts less", () => {
  expect(speaks([...onParser, view("src/lexer.py"), edit("src/lexer.py")])).toEqual([[4, 0.6]]);
});

test("coming back to one of the files within three steps is no move", () => {
  expect(speaks([...onParser, view("docs/guide.md"), edit("src/parser.py"), view("docs/guide.md")])).toEqual([]);
});

test("looking around, where every step touches another file, moves nowhere", () => {
  const around = ["a", "b", "c", "d", "e", "f", "g"].map((name) => view(`${name}/${name}.py`));
  expect(speaks(around)).toEqual([]);
});

test("a glance, and steps that touch no file, move nothing", () => {
  expect(speaks([...onParser, view("docs/guide.md")])).toEqual([]);
  expect(
    speaks([...onParser, bashStep("pytest", "1 passed in 0.1s"), bashStep("git status"), bashStep("grep -rn x .", "src/a.py:1")]),
  ).toEqual([]);
});

test("a script that is only run is not worked on", () => {
  const runs = [bashStep("python other/run.py"), bashStep("python other/run.py")];
  expect(speaks([...onParser, ...runs, edit("src/parser.py")])).toEqual([]);
});

test("one file spelled two ways is one file", () => {
  expect(speaks([...onParser, bashStep("cat src/parser.py"), bashStep("sed -i 's/a/b/' src/parser.py")])).toEqual([]);
});

test("the evidence names the files on both sides", () => {
  expect(saidAfter(workingSetChange, [...onParser, edit("docs/guide.md"), edit("docs/guide.md")])[3]?.evidence).toEqual([
    "steps 1 to 4 read or change /repo/src/parser.py",
    "steps 5 to 6 /repo/docs/guide.md",
  ]);
});

test.each(Object.entries(agents))("%s moves like any other", (_, { look, change }) => {
  const steps = [look("src/a.py"), look("src/a.py"), change("src/a.py"), change("src/a.py"), look("docs/b.md"), change("docs/b.md")];
  expect(speaks(steps).map(([cut]) => cut)).toEqual([4]);
});
