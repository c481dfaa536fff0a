import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { BlockMetrics, Metrics, SampleMetrics, TrajectoryMetrics } from "../../../schemas/metrics.ts";
import { FilterRecipe } from "../../../schemas/recipe.ts";
import { Verdict } from "../../../schemas/verdict.ts";
import type { Filter, Limits } from "../../../stages/filter/filters/filter.ts";
import { filters } from "../../../stages/filter/filters/index.ts";
import { judge, judgeMetrics } from "../../../stages/filter/judge.ts";
import { fakePorts } from "../../fakes/fake-ports.ts";

const count = fc.nat(30);
const sample: fc.Arbitrary<SampleMetrics> = fc.record({ tokens: count, trainedTokens: count, neededTokens: fc.nat(2000) });
const block: fc.Arbitrary<BlockMetrics> = fc.record({
  cut: count,
  gapSteps: count,
  foldTokens: fc.nat(3000),
  previousMemoryTokens: count,
  memoryTokens: count,
  foldRatio: fc.constantFrom(0, 0.01, 0.02, 0.3, 0.7, 0.9),
  windowTokensBefore: count,
  windowTokensAfter: count,
  windowRatio: fc.constant(0.5),
  checks: fc.constantFrom([], [{ check: "grounded", looked: 10, found: 1, findings: [] }]),
  previousFacts: count,
  keptFacts: count,
});
const trajectory: fc.Arbitrary<TrajectoryMetrics> = fc.record({
  resolved: fc.constantFrom(true, true, false, null),
  exit: fc.constantFrom("submitted", "submitted", "error"),
  steps: fc.nat(600),
  callLessSteps: fc.constantFrom(0, 0, 3),
  unrenderable: fc.constantFrom([], [], ["missing-result"]),
  preCondensed: fc.constantFrom(false, false, true),
  controlTokenTexts: fc.constantFrom(0, 0, 2, null),
  baseTokens: fc.option(count, { nil: null }),
  rejectedBy: fc.constantFrom(null, null, "detect: window-exceeded"),
  promptTokens: fc.constant(null),
  promptTokensPerCall: fc.constant(null),
});
const arbitraryMetrics: fc.Arbitrary<Metrics> = fc.record({
  trajectory,
  blocks: fc.array(block, { maxLength: 3 }),
  segments: fc.array(sample, { maxLength: 4 }),
  condensations: fc.array(sample, { maxLength: 3 }),
  base: fc.option(sample, { nil: null }),
});
const arbitraryLimits: fc.Arbitrary<Limits> = fc
  .record({
    outcome: fc.constantFrom(null, "resolved" as const, "not-failed" as const),
    minSteps: fc.constantFrom(null, 5, 300),
    minContextCalls: fc.constantFrom(null, 0, 1, 2),
    minFoldTokens: fc.constantFrom(null, 1000),
    windowTokens: fc.constantFrom(1024, 1900, 2500),
  })
  .map(({ windowTokens, ...set }) => ({ ...FilterRecipe.parse(set), windowTokens }));
const settings = { seed: 101, numRuns: 1000 };

describe("a verdict", () => {
  test("names every filter that fails, of its own scope, and no other", () => {
    fc.assert(
      fc.property(arbitraryMetrics, arbitraryLimits, (metrics, limits) => {
        const verdict = judgeMetrics(metrics, limits);
        const failing = (scope: Filter["scope"], fails: (filter: Filter) => unknown): string[] =>
          Object.entries<Filter>(filters).flatMap(([name, filter]) => (filter.scope === scope && fails(filter) !== null ? [name] : []));
        const names = (decision: { failed: { filter: string }[] }): string[] => decision.failed.map((one) => one.filter);
        const ofSample = (measured: SampleMetrics): string[] =>
          failing("sample", (filter) => (filter.scope === "sample" ? filter.fails(measured, limits) : null));
        expect(names(verdict.trajectory)).toEqual(
          failing("trajectory", (filter) => (filter.scope === "trajectory" ? filter.fails(metrics.trajectory, limits) : null)),
        );
        expect(names(verdict.context)).toEqual(
          failing("context", (filter) => (filter.scope === "context" ? filter.fails(metrics, limits) : null)),
        );
        expect(verdict.segments.map(names)).toEqual(metrics.segments.map(ofSample));
        expect(verdict.condensations.map(names)).toEqual(metrics.condensations.map(ofSample));
        expect(names(verdict.base)).toEqual(metrics.base === null ? [] : ofSample(metrics.base));
      }),
      settings,
    );
  });

  test("keeps a part exactly when nothing fails in it or above it", () => {
    fc.assert(
      fc.property(arbitraryMetrics, arbitraryLimits, (metrics, limits) => {
        const { trajectory: own, context, segments, condensations, base } = judgeMetrics(metrics, limits);
        expect(own.keep).toBe(own.failed.length === 0);
        expect(context.keep).toBe(own.keep && context.failed.length === 0);
        for (const decision of [...segments, ...condensations]) expect(decision.keep).toBe(context.keep && decision.failed.length === 0);
        expect(base.keep).toBe(metrics.base !== null && own.keep && base.failed.length === 0);
      }),
      settings,
    );
  });

  test("a rejection upstream takes the segments and leaves the base sample", () => {
    const metrics: Metrics = {
      trajectory: {
        resolved: true,
        exit: "submitted",
        steps: 10,
        callLessSteps: 0,
        unrenderable: [],
        preCondensed: false,
        controlTokenTexts: 0,
        baseTokens: 10,
        rejectedBy: "condense: memory-too-long",
        promptTokens: null,
        promptTokensPerCall: null,
      },
      blocks: [],
      segments: [],
      condensations: [],
      base: { tokens: 10, trainedTokens: 1, neededTokens: 10 },
    };
    const verdict = judgeMetrics(metrics, { ...FilterRecipe.parse({}), windowTokens: 1024 });
    expect([verdict.trajectory.keep, verdict.context.keep, verdict.base.keep]).toEqual([true, false, true]);
    expect(verdict.context.failed).toEqual([{ filter: "rejected-upstream", value: "condense: memory-too-long", limit: null }]);
  });
});

test("the stage needs metrics and nothing else: no text, no model, no tokenizer", async () => {
  const ports = fakePorts(
    () => new Error("asked"),
    () => {
      throw new Error("counted");
    },
  );
  for (const metrics of fc.sample(arbitraryMetrics, { seed: 102, numRuns: 50 })) {
    const outcome = await judge.run({ metrics }, judge.params.parse({ filter: FilterRecipe.parse({}), windowTokens: 2000 }), ports);
    expect(outcome.ok).toBe(true);
    if (outcome.ok) expect(Verdict.parse(outcome.value)).toEqual(judgeMetrics(metrics, { ...FilterRecipe.parse({}), windowTokens: 2000 }));
  }
});
