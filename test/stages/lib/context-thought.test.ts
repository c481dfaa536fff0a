import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { SignalScore } from "../../../schemas/sidecars.ts";
import { type SignalName, signals } from "../../../stages/detect/signals/index.ts";
import { contextThought, longestThought } from "../../../stages/lib/context-thought.ts";
import { blockTexts } from "../../../stages/lib/render.ts";
import { arbitraryText } from "../../fakes/arbitrary-trajectory.ts";
import { exactTokens } from "../../fakes/fake-ports.ts";
import { personaRecipe } from "../../invariants/placement.ts";

const found = (signal: string, score: number, ...evidence: string[]): SignalScore => ({ signal, score, evidence });
const names = Object.keys(signals) as SignalName[];
const reasons = ["signals", "window"] as const;

describe("contextThought", () => {
  test("speaks for the loudest signal", () => {
    const all = [found("window-occupancy", 0.4), found("repeated-failures", 0.9), found("subtask-completed", 0.8)];
    for (let pick = 0; pick < 20; pick += 1)
      expect(contextThought("signals", all, pick)).toBe(contextThought("signals", [found("repeated-failures", 1)], pick));
  });

  test("the first by name speaks on a tie, whatever the order", () => {
    const tie = [found("subtask-completed", 0.9), found("repeated-failures", 0.9)];
    expect(contextThought("signals", tie, 1)).toBe(contextThought("signals", tie.toReversed(), 1));
  });

  test("says that room is short when that was the reason", () => {
    for (let pick = 0; pick < 20; pick += 1)
      expect(contextThought("window", [found("repeated-failures", 1)], pick)).toMatch(/room|full|limit|fit/);
  });

  test("a signal that nobody wrote words for is told in words that hold at any cut", () => {
    expect(contextThought("signals", [found("brand-new", 1)], 3)).toBe(contextThought("signals", [], 3));
    expect(contextThought("signals", [found("window", 1)], 3)).toBe(contextThought("signals", [], 3));
    expect(contextThought("signals", [found("__proto__", 1)], 3)).toBe(contextThought("signals", [], 3));
  });

  test("every signal of the registry has words of its own kind", () => {
    for (const signal of names)
      for (let pick = 0; pick < 20; pick += 1)
        expect(contextThought("signals", [found(signal, 1)], pick), signal).not.toBe(contextThought("signals", [], pick));
  });

  test("what needs hindsight is told by what lies before the cut: nothing is said about what comes next", () => {
    const wordings = names.flatMap((signal) =>
      Array.from({ length: 20 }, (_, pick) => contextThought("signals", [found(signal, 1)], pick)),
    );
    for (const text of wordings)
      expect(text).not.toMatch(
        /\b(?:next I|will (?:now )?(?:try|edit|test|fix|run|look|submit|implement)|another (?:way|file|approach)|different|instead)\b/i,
      );
  });

  test("failures are told of failing, loops of repeating, and neither of boundaries", () => {
    for (let pick = 0; pick < 20; pick += 1) {
      for (const signal of ["repeated-failures", "direction-change"])
        expect(contextThought("signals", [found(signal, 1)], pick)).toMatch(/fail|wrong/i);
      for (const signal of ["phase-change", "working-set-change", "plan-step"])
        expect(contextThought("signals", [found(signal, 1)], pick)).not.toMatch(/fail|pass|fixed|works/i);
    }
  });

  test("never quotes the evidence, which is for people and names steps that no agent can count", () => {
    for (const signal of names)
      expect(contextThought("signals", [found(signal, 1, "step 16: `pytest` passes")], 5)).not.toMatch(/step \d|pytest/);
  });

  test("depends on what it is given alone, is one line, and is never empty", () => {
    fc.assert(
      fc.property(fc.constantFrom(...reasons), fc.constantFrom(...names), arbitraryText(), fc.nat(), (reason, signal, evidence, pick) => {
        const spoken = [found(signal, 1, evidence)];
        const text = contextThought(reason, spoken, pick);
        expect(text).toBe(contextThought(reason, spoken, pick));
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
