import { expect, test } from "vitest";
import type { Step } from "../../../../schemas/trajectory.ts";
import { planStep } from "../../../../stages/detect/signals/plan-step.ts";
import { agents } from "../../../fakes/dialect-steps.ts";
import { saidAfter, scoresAfter } from "../../../fakes/signal-scores.ts";
import { bashStep, editStep, viewStep } from "../../../fakes/steps.ts";

const look = (thought = ""): Step => viewStep("/testbed/a.py", "x", thought);
const edit = (thought = ""): Step => editStep("/testbed/a.py", "x", "y", thought);
/** Score of the cut between two turns. */
const between = (before: Step, next: Step): number => scoresAfter(planStep, [before, next])[0] ?? 0;

test.each([
  "## Phase 4. TEST CREATION: Creating a reproduction script",
  "Step 3: Implement the fix",
  "**Step 2:** Reproduce it",
  "Good.\n\n### 2. Fix the parser",
  "<think>\n## Step 4: Rerun the script",
])("a new numbered step is a boundary whatever is done: %s", (heading) => {
  expect(between(look(), look(heading))).toBe(0.9);
});

test("a number that was begun before is no new step", () => {
  expect(scoresAfter(planStep, [look("## Step 1: Explore"), look("## Step 1: Explore more"), look("## Step 2: Edit")])).toEqual([
    0, 0.9, 0,
  ]);
});

test.each([
  ["Now let me implement the fix.", 0.7],
  ["THOUGHT: Now that I have read the parser, I'll change it.", 0.7],
  ["Great! The bug is clear. Now let's create the fix:", 0.8],
  ["I've found the cause: the index is off by one.", 0.6],
  ["Perfect! That is where it happens.", 0.6],
])("words of transition count where another kind of work begins: %s", (words, score) => {
  expect(between(look(), edit(words))).toBe(score);
  expect(between(edit(), edit(words))).toBe(0);
});

test.each(["", "Let me view the next part of the file.", "The list now has three entries.", "Okay, one more look.", "1. a\n2. b\n3. c"])(
  "other words are no step of a plan: %j",
  (words) => {
    expect(between(look(), edit(words))).toBe(0);
  },
);

test("only the beginning of a turn says what it begins", () => {
  expect(between(look(), edit(`${"So it goes. ".repeat(200)}\n## Step 2: Fix`))).toBe(0);
});

test("the evidence quotes the next turn on one line", () => {
  expect(saidAfter(planStep, [look(), edit("## Phase 2: Fix\nit")])[0]?.evidence).toEqual([
    'the next turn begins a numbered step: "## Phase 2: Fix"',
  ]);
});

test("headings of endless length are read in linear time", () => {
  const start = performance.now();
  for (const piece of ["#", "## ", "Step ", "Now let me ", "Great! ", "THOUGHT: ", "\n", "Phase 1. "])
    scoresAfter(planStep, [look(), edit(piece.repeat(100_000))]);
  expect(performance.now() - start).toBeLessThan(5_000);
});

test.each(Object.entries(agents))("%s begins another kind of work like any other", (_, agent) => {
  const next = { ...agent.change("src/a.py"), thought: "Now let me fix it." };
  expect(between(agent.look("src/a.py"), next)).toBe(0.7);
  expect(between(bashStep("ls"), agent.look("src/a.py"))).toBe(0);
});
