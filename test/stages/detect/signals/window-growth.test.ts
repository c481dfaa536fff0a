import { expect, test } from "vitest";
import { windowGrowth } from "../../../../stages/detect/signals/window-growth.ts";
import { bashStep } from "../../../fakes/steps.ts";

const scores = (sizes: readonly number[], windowTokens = 65_536): number[] =>
  sizes.map((_, index) => {
    const stepTokens = sizes.slice(0, index + 1);
    return windowGrowth({ steps: stepTokens.map(() => bashStep("ls")), stepTokens, headTokens: 3_000, windowTokens }).score;
  });

test("it speaks once for each quarter of the window, and fades over two steps", () => {
  const all = scores(Array.from({ length: 40 }, () => 1_000));
  expect(all.flatMap((score, index) => (score > 0 ? [[index + 1, score]] : []))).toEqual([
    [17, 1],
    [18, 0.6],
    [19, 0.3],
    [33, 1],
    [34, 0.6],
    [35, 0.3],
  ]);
});

test("growth by one huge step counts for less than steady growth", () => {
  const [last] = scores([200, 200, 200, 20_000]).slice(-1);
  expect(last).toBeGreaterThan(0.5);
  expect(last).toBeLessThan(0.8);
});

test("the evidence gives the numbers", () => {
  const stepTokens = Array.from({ length: 17 }, () => 1_000);
  const { evidence } = windowGrowth({ steps: [], stepTokens, headTokens: 0, windowTokens: 65_536 });
  expect(evidence).toEqual([
    "step 17 carries the steps so far to 17,000 tokens, past 16,384 = 1 x 16,384 (a quarter of the window)",
    "17,000 tokens in steps 1 to 17; the last 4 steps added 1,000 + 1,000 + 1,000 + 1,000",
  ]);
});

test("neither the task's size nor an empty run makes it speak", () => {
  expect(windowGrowth({ steps: [], stepTokens: [], headTokens: 60_000, windowTokens: 65_536 })).toEqual({ score: 0, evidence: [] });
  expect(scores([0, 0, 0])).toEqual([0, 0, 0]);
});
