import { expect, test } from "vitest";
import { placementText, pointLines, ruleText } from "../../../pipeline/commands/placement-text.ts";
import type { Detection } from "../../../schemas/sidecars.ts";

const detection: Detection = {
  candidates: [
    {
      cut: 12,
      score: 0.9,
      signals: [{ signal: "subtask-completed", score: 0.9, evidence: ["tests pass\u001b[31m", "two", "three", "four", "five"] }],
    },
  ],
  points: [
    { cut: 12, keptFrom: 9, reason: "signals" },
    { cut: 30, keptFrom: 27, reason: "window" },
  ],
  placement: {
    objective: 0.4321,
    costTokens: 60_000,
    appendOnlyCostTokens: 80_000,
    points: [
      { cut: 12, needed: false, crowded: false, savesTokens: 20_000, replacement: { cut: 13, loss: 0.0514 } },
      { cut: 30, needed: true, crowded: true, savesTokens: -6_000, replacement: null },
    ],
    pastOnly: { minScore: 0.5, occupancy: 0.8, calls: 1, objective: 0.2, regret: 0.2321 },
  },
};

test("a rule is said in words", () => {
  expect(ruleText({ minScore: null, occupancy: null })).toBe("never call");
  expect(ruleText({ minScore: 0.3, occupancy: null })).toBe("call where signals score 0.3 or more");
  expect(ruleText({ minScore: null, occupancy: 0.9 })).toBe("call when the prompt takes 90 % of the window");
  expect(ruleText({ minScore: 0, occupancy: 0.5 })).toBe("call where signals score 0 or more, or when the prompt takes 50 % of the window");
});

test("a placement states objective, cost against append-only, and the regret of the best past-only rule", () => {
  const text = placementText(detection);
  expect(text).toContain("2 context calls, objective 0.432");
  expect(text).toContain("cost 60,000 against 80,000 append-only, in prices of an uncached prompt token: 25 % saved");
  expect(text).toMatch(/call where signals score 0\.5 or more, or when .* 80 % of the window: 1 call, objective 0\.200, regret 0\.232/);
  const dearer = { ...detection, placement: { ...detection.placement, costTokens: 88_000, pastOnly: null } };
  expect(placementText(dearer)).toContain("10 % more");
  expect(placementText(dearer)).toContain("none of the family keeps within the window");
});

test("a point states reason, signals with evidence, what it saves and its best replacement", () => {
  const lines = pointLines(detection, 12, false).join("\n");
  expect(lines).toContain("reason signals: signals speak for it (score 0.90)");
  expect(lines).toContain("signal subtask-completed 0.90");
  expect(lines).toContain("saves 20,000 uncached prompt tokens, 25 % of what the trajectory would cost without it");
  expect(lines).toContain("not needed to fit the window");
  expect(lines).toContain("best other place: after step 13, which loses 0.051 of the objective");
});

test("a point that is needed, crowded and dear says so", () => {
  const lines = pointLines(detection, 30, false).join("\n");
  expect(lines).toContain("reason window: the steps would not fit without it (score 0.00)");
  expect(lines).toMatch(/^ {2}needed to fit the window; nearer, or over less, than asked for/m);
  expect(lines).toContain("costs 6,000 more uncached prompt tokens");
  expect(lines).toContain("no other place for it fits as well");
});

test("evidence is shortened to a screen unless all is asked for, and never drives the terminal", () => {
  const short = pointLines(detection, 12, false).join("\n");
  expect(short).toContain("... and 2 more (--full)");
  expect(short).not.toContain("five");
  expect(short).toContain("tests pass\\x1b[31m");
  expect(pointLines(detection, 12, true).join("\n")).toContain("five");
});

test("a cut that today's detection does not have has nothing to say", () => {
  expect(pointLines(detection, 17, false)).toEqual([]);
});
