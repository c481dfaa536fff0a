import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { SignalScore } from "../../../schemas/sidecars.ts";
import { contextThought, longestThought } from "../../../stages/lib/context-thought.ts";
import { blockTexts } from "../../../stages/lib/render.ts";
import { arbitraryText } from "../../fakes/arbitrary-trajectory.ts";
import { exactTokens } from "../../fakes/fake-ports.ts";
import { personaRecipe } from "../../invariants/placement.ts";

const found = (signal: string, score: number, ...evidence: string[]): SignalScore => ({ signal, score, evidence });
const names = ["window-growth", "subtask-completed", "new-direction"] as const;
const reasons = ["signals", "window"] as const;

describe("contextThought", () => {
  test("speaks for the loudest signal", () => {
    const signals = [found("window-growth", 0.4), found("new-direction", 0.9), found("subtask-completed", 0.8)];
    for (let pick = 0; pick < 20; pick += 1)
      expect(contextThought("signals", signals, pick)).toBe(contextThought("signals", [found("new-direction", 1)], pick));
  });

  test("the first by name speaks on a tie, whatever the order", () => {
    const tie = [found("subtask-completed", 0.9), found("new-direction", 0.9)];
    expect(contextThought("signals", tie, 1)).toBe(contextThought("signals", tie.toReversed(), 1));
  });

  test("says that room is short when that was the reason", () => {
    for (let pick = 0; pick < 20; pick += 1)
      expect(contextThought("window", [found("new-direction", 1)], pick)).toMatch(/room|full|limit|fit/);
  });

  test("a signal that nobody wrote words for is told as growth, which always holds", () => {
    expect(contextThought("signals", [found("brand-new", 1)], 3)).toBe(contextThought("signals", [found("window-growth", 1)], 3));
    expect(contextThought("signals", [found("window", 1)], 3)).toBe(contextThought("signals", [found("window-growth", 1)], 3));
    expect(contextThought("signals", [found("__proto__", 1)], 3)).toBe(contextThought("signals", [], 3));
  });

  test("never quotes the evidence, which is for people and names steps that no agent can count", () => {
    for (const signal of names)
      expect(contextThought("signals", [found(signal, 1, "step 16: `pytest` passes")], 5)).not.toMatch(/step \d|pytest/);
  });

  test("depends on what it is given alone, is one line, and is never empty", () => {
    fc.assert(
      fc.property(fc.constantFrom(...reasons), fc.constantFrom(...names), arbitraryText(), fc.nat(), (reason, signal, evidence, pick) => {
        const signals = [found(signal, 1, evidence)];
        const text = contextThought(reason, signals, pick);
        expect(text).toBe(contextThought(reason, signals, pick));
        expect(text).not.toBe("");
        expect(text).not.toMatch(/[\r\n]/);
      }),
      { seed: 51, numRuns: 500 },
    );
  });

  test("has twenty wordings for each reason", () => {
    const picks = Array.from({ length: 100 }, (_, pick) => pick);
    for (const signal of names) expect(new Set(picks.map((pick) => contextThought("signals", [found(signal, 1)], pick))).size).toBe(20);
    expect(new Set(picks.map((pick) => contextThought("window", [], pick))).size).toBe(20);
  });
});

describe("longestThought", () => {
  test("is longer than any thought", () => {
    const recipe = personaRecipe();
    const callTokens = (thought: string): number => exactTokens(blockTexts({ thought, memory: "" }, recipe).call);
    for (const reason of reasons)
      for (const signal of names)
        for (let pick = 0; pick < 20; pick += 1)
          expect(callTokens(contextThought(reason, [found(signal, 1)], pick))).toBeLessThan(callTokens(longestThought));
  });
});
