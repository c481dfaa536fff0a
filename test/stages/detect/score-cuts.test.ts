import { describe, expect, test } from "vitest";
import { DetectRecipe } from "../../../schemas/recipe/detect.ts";
import { Candidate } from "../../../schemas/sidecars.ts";
import type { Step } from "../../../schemas/trajectory.ts";
import { scoreCuts } from "../../../stages/detect/score-cuts.ts";
import { type SignalName, signals } from "../../../stages/detect/signals/index.ts";
import type { Sizes } from "../../../stages/lib/sizes.ts";
import { bashStep, shortRun } from "../../fakes/steps.ts";

const sizesOf = (steps: readonly Step[], tokens: number): Sizes => ({
  head: 1_000,
  opening: 3,
  assistant: steps.map(() => tokens / 2),
  user: steps.map(() => tokens / 2),
  upTo: [0, ...steps.map((_, index) => (index + 1) * tokens)],
});
const off = Object.fromEntries(Object.keys(signals).map((name) => [name, 0]));
const score = (steps: readonly Step[], weights: Partial<Record<SignalName, number>> = {}, keepSteps = 3, tokens = 100): Candidate[] =>
  scoreCuts(steps, sizesOf(steps, tokens), { window: { tokens: 65_536, keepSteps }, detect: DetectRecipe.parse({ weights }) });

test("candidates are legal cuts at which a signal speaks, in order", () => {
  const found = score(shortRun, {}, 0);
  for (const candidate of found) expect(Candidate.parse(candidate)).toEqual(candidate);
  const cuts = found.map(({ cut }) => cut);
  expect(cuts).toEqual([...cuts].sort((a, b) => a - b));
  expect(Math.min(...cuts)).toBeGreaterThan(0);
  expect(Math.max(...cuts)).toBeLessThan(shortRun.length);
  expect(score(shortRun, {}, 4).map(({ cut }) => cut)).toEqual(cuts.filter((cut) => cut > 4));
  expect(score([], {})).toEqual([]);
});

test("a cut's score is its largest weighted signal, whatever the others say", () => {
  for (const { score: best, signals: found } of score(shortRun, { milestone: 0.3, "phase-change": 0.7 }, 0)) {
    const weights: Record<string, number> = DetectRecipe.parse({ weights: { milestone: 0.3, "phase-change": 0.7 } }).weights;
    expect(best).toBeCloseTo(Math.max(...found.map((one) => one.score * (weights[one.signal] ?? 0))), 5);
  }
});

test("a weight of 0 switches a signal off, and all of them leave no candidate", () => {
  expect(score(shortRun, off)).toEqual([]);
  const only = score(shortRun, { ...off, milestone: 1 }, 0);
  expect(only.map(({ cut, score: best }) => [cut, best])).toEqual([
    [5, 0.9],
    [6, 0.5],
    [10, 1],
  ]);
  expect(new Set(only.flatMap(({ signals: found }) => found.map(({ signal }) => signal)))).toEqual(new Set(["milestone"]));
});

test("signals see whole steps: what the turn and its answers take", () => {
  const steps = Array.from({ length: 40 }, (_, index) => bashStep(`cat ${index}`));
  expect(score(steps, { ...off, "window-occupancy": 1 }, 3, 1_000).map(({ cut }) => cut)).toEqual([17, 18, 19, 33, 34, 35]);
});

describe("speed", () => {
  test("500 steps are scored in well under 100 ms of computing once the calls are read", () => {
    const steps = Array.from({ length: 500 }, (_, index) => shortRun[index % shortRun.length])
      .flatMap((step) => step ?? [])
      .map((step, index) => ({
        ...step,
        calls: step.calls.map((call) => ({ ...call, result: `${"some words of output\n".repeat(100)}${index}\n${call.result}` })),
      }));
    score(steps); // reads the calls, which happens once a run, and lets the machine warm up
    const times = Array.from({ length: 5 }, () => {
      const start = process.cpuUsage();
      score(steps);
      const { user, system } = process.cpuUsage(start);
      return (user + system) / 1_000;
    });
    expect(Math.min(...times)).toBeLessThan(200); // 35 ms where this was written; a busy machine may take longer
  });
});
