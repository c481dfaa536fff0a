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
  test("quotes the evidence of the loudest signal", () => {
    const signals = [
      found("window-growth", 0.4, "grew"),
      found("new-direction", 0.9, "E: boom"),
      found("subtask-completed", 0.8, "5 passed"),
    ];
    expect(contextThought("signals", signals, 0)).toMatch(/failure.*\(E: boom\)$/);
  });

  test("the first by name speaks on a tie, whatever the order", () => {
    const tie = [found("subtask-completed", 0.9, "5 passed"), found("new-direction", 0.9, "E: boom")];
    expect(contextThought("signals", tie, 1)).toBe(contextThought("signals", tie.toReversed(), 1));
    expect(contextThought("signals", tie, 1)).toContain("boom");
  });

  test("says that room is short when that was the reason, or when nothing is known", () => {
    const texts = [
      contextThought("window", [found("new-direction", 1, "boom")], 0),
      contextThought("signals", [], 0),
      contextThought("signals", [found("unheard-of", 1)], 0),
    ];
    for (const text of texts) expect(text).toMatch(/room|window|conversation|context/);
  });

  test("a signal that nobody wrote phrases for is quoted all the same", () => {
    expect(contextThought("signals", [found("brand-new", 1, "evidence")], 3)).toMatch(/^\S.*\(evidence\)$/);
  });

  test("leaves out evidence of several lines, or too long to quote", () => {
    for (const evidence of ["two\nlines", "two\rlines", "x".repeat(161)])
      expect(contextThought("signals", [found("new-direction", 1, evidence)], 0)).not.toContain("(");
    expect(contextThought("signals", [found("new-direction", 1, "x".repeat(161), "short")], 0)).toContain("(short)");
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

  test("the number picks the wording, so that several are heard", () => {
    for (const signal of names) expect(new Set([0, 1, 2].map((pick) => contextThought("signals", [found(signal, 1)], pick))).size).toBe(3);
  });
});

describe("longestThought", () => {
  const recipe = personaRecipe();
  const callTokens = (thought: string): number => exactTokens(blockTexts({ thought, memory: "" }, recipe).call);
  /** Placement adds the tokens of call, wrapping and memory one by one; where they meet, a token or two may come on top. */
  const seams = 4;

  test("is longer than any thought, whatever script the evidence is written in", () => {
    const dense = ["\u{13000}", "\u4e02", "\u0958", "\u{1d160}", "\u{10ffff}", "\u0f43", "x", "!", " \u00e9", "\u200b"];
    for (const unit of dense)
      for (let length = 1; length <= 170; length += 1)
        for (const signal of names) {
          const evidence = unit.repeat(length);
          if (evidence.length > 170) continue;
          const tokens = callTokens(contextThought("signals", [found(signal, 1, evidence)], length));
          expect(tokens + seams, `${length} x ${JSON.stringify(unit)}`).toBeLessThanOrEqual(callTokens(longestThought));
        }
  });

  test("is longer than any thought about random evidence", () => {
    fc.assert(
      fc.property(fc.constantFrom(...names), fc.string({ unit: "binary", maxLength: 160 }), fc.nat(), (signal, evidence, pick) => {
        expect(callTokens(contextThought("signals", [found(signal, 1, evidence)], pick)) + seams).toBeLessThanOrEqual(
          callTokens(longestThought),
        );
      }),
      { seed: 52, numRuns: 2000 },
    );
  });
});
