import { expect, test } from "vitest";
import { windowOccupancy } from "../../../../stages/detect/signals/window-occupancy.ts";
import { lastEvidence, scoresAfter, spoken } from "../../../fakes/signal-scores.ts";
import { bashStep } from "../../../fakes/steps.ts";

const run = (tokens: readonly number[]) => tokens.map(() => bashStep("ls"));
const speaks = (tokens: readonly number[], windowTokens = 65_536) => spoken(windowOccupancy, run(tokens), { tokens, windowTokens });

test("it speaks once for each quarter of the window, and fades over two steps", () => {
  expect(speaks(Array.from({ length: 40 }, () => 1_000))).toEqual([
    [17, 1],
    [18, 0.6],
    [19, 0.3],
    [33, 1],
    [34, 0.6],
    [35, 0.3],
  ]);
});

test("just below the quarter it is silent, exactly on it it speaks", () => {
  expect(speaks([8_192, 8_191])).toEqual([]);
  expect(speaks([8_192, 8_192])).toEqual([[2, 1]]);
});

test("a step that passes several quarters at once is told once", () => {
  expect(scoresAfter(windowOccupancy, run([40_000, 1, 1, 1]), { tokens: [40_000, 1, 1, 1] })).toEqual([1, 0.6, 0.3, 0]);
});

test("the quarter is that of the window at hand", () => {
  expect(speaks([3_000, 2_000], 16_384)).toEqual([[2, 1]]);
});

test("the evidence gives the numbers", () => {
  const tokens = Array.from({ length: 17 }, () => 1_000);
  expect(lastEvidence(windowOccupancy, run(tokens), { tokens })).toEqual([
    "step 17 carries the steps so far to 17,000 tokens, past 16,384 = 1 x 16,384 (a quarter of the window)",
  ]);
});

test("steps without tokens never make it speak", () => {
  expect(speaks([0, 0, 0])).toEqual([]);
});
