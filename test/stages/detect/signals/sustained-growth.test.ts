import { expect, test } from "vitest";
import { sustainedGrowth } from "../../../../stages/detect/signals/sustained-growth.ts";
import { lastEvidence, spoken } from "../../../fakes/signal-scores.ts";
import { bashStep } from "../../../fakes/steps.ts";

const speaks = (tokens: readonly number[], windowTokens = 70_000) =>
  spoken(
    sustainedGrowth,
    tokens.map(() => bashStep("ls")),
    { tokens, windowTokens },
  ); // the pace of this window is 1,000 tokens a step

test("it speaks when four steps in a row are fast, half at the pace and fully at twice the pace", () => {
  expect(speaks([100, 1_000, 1_000, 1_000, 1_000])).toEqual([[5, 0.5]]);
  expect(speaks([2_000, 2_000, 2_000, 2_000])).toEqual([[4, 1]]);
});

test("slow steps, three fast ones, and one long answer among short ones are no trend", () => {
  expect(speaks([999, 999, 999, 999])).toEqual([]);
  expect(speaks([3_000, 3_000, 3_000])).toEqual([]);
  expect(speaks([500, 500, 9_000, 500])).toEqual([]);
  expect(speaks([3_000, 3_000, 3_000, 10])).toEqual([]);
});

test("a trend that goes on is told again only after another quarter of the window", () => {
  expect(speaks(Array.from({ length: 20 }, () => 2_000))).toEqual([
    [4, 1],
    [13, 1],
  ]);
});

test("a trend that has paused is told anew", () => {
  expect(speaks([2_000, 2_000, 2_000, 2_000, 0, 2_000, 2_000, 2_000, 2_000]).map(([cut]) => cut)).toEqual([4, 9]);
});

test("the evidence gives the sizes of the steps and the pace", () => {
  const tokens = [1_000, 1_200, 1_400, 1_600];
  expect(
    lastEvidence(
      sustainedGrowth,
      tokens.map(() => bashStep("ls")),
      { tokens, windowTokens: 70_000 },
    ),
  ).toEqual(["steps 1 to 4 added 1,000 + 1,200 + 1,400 + 1,600 tokens: 1,300 a step, where 1,000 are usual for this window"]);
});
