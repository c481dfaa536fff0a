import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { FilterAction } from "../../../schemas/filter-action.ts";
import type { BlockMetrics, Metrics, SampleMetrics } from "../../../schemas/metrics.ts";
import { FilterRecipe, ThresholdRecipe } from "../../../schemas/recipe/filter.ts";
import { type Decision, type Failure, Verdict } from "../../../schemas/verdict.ts";
import type { Filter } from "../../../stages/filter/filters/filter.ts";
import { filters } from "../../../stages/filter/filters/index.ts";
import { judge, judgeMetrics } from "../../../stages/filter/judge.ts";
import { metricsWithoutLast } from "../../../stages/lib/last-call.ts";
import { arbitraryLimits, arbitraryMetrics } from "../../fakes/arbitrary-metrics.ts";
import { fakePorts } from "../../fakes/fake-ports.ts";
import { uncontaminated } from "../../fakes/no-evaluation.ts";
import { plainConduct, plainMemory } from "../../fakes/plain-conduct.ts";
import { nothingToCompare } from "../../fakes/set-metrics.ts";

const settings = { seed: 101, numRuns: 1000 };
const scopeOf = (name: string): string => new Map<string, Filter>(Object.entries(filters)).get(name)?.scope ?? "none";

describe("a verdict", () => {
  test("names every filter that fails, of its own scope, and no other", () => {
    fc.assert(
      fc.property(arbitraryMetrics, arbitraryLimits, (metrics, limits) => {
        const verdict = judgeMetrics(metrics, limits);
        const failing = (scope: Filter["scope"], fails: (filter: Filter) => unknown): string[] =>
          Object.entries<Filter>(filters).flatMap(([name, filter]) => (filter.scope === scope && fails(filter) !== null ? [name] : []));
        const names = (decision: { failed: { filter: string }[] }): string[] => decision.failed.map((one) => one.filter);
        const sampleScope = (decision: Decision): string[] => names(decision).filter((name) => scopeOf(name) === "sample");
        const ofSample = (measured: SampleMetrics): string[] =>
          failing("sample", (filter) => (filter.scope === "sample" ? filter.fails(measured, limits) : null));
        expect(names(verdict.trajectory)).toEqual(
          failing("trajectory", (filter) => (filter.scope === "trajectory" ? filter.fails(metrics.trajectory, limits) : null)),
        );
        const whole = failing("context", (filter) => (filter.scope === "context" ? filter.fails(metrics, limits) : null));
        const blocks = metrics.blocks.flatMap((measured, block) =>
          failing("block", (filter) => (filter.scope === "block" ? filter.fails(measured, limits) : null)).map(
            (name) => `${name} ${block}`,
          ),
        );
        const found = verdict.context.failed.map((one) => (one.block === null ? one.filter : `${one.filter} ${one.block}`));
        expect(found.sort()).toEqual([...whole, ...blocks].sort());
        expect(verdict.segments.map(sampleScope)).toEqual(metrics.segments.map(ofSample));
        expect(verdict.condensations.map(sampleScope)).toEqual(metrics.condensations.map(ofSample));
        expect(names(verdict.base)).toEqual(metrics.base === null ? [] : ofSample(metrics.base));
      }),
      settings,
    );
  });

  test("keeps what no failure's action rejects, in it or above it", () => {
    let dropped = 0;
    fc.assert(
      fc.property(arbitraryMetrics, arbitraryLimits, (metrics, limits) => {
        const { trajectory: own, context, segments, condensations, base, dropLast } = judgeMetrics(metrics, limits);
        const all = [own, context, base, ...segments, ...condensations].flatMap((decision) => decision.failed);
        const some = (failed: readonly Failure[], ...actions: FilterAction[]): boolean =>
          failed.some((one) => actions.includes(one.action));
        expect(own.keep).toBe(!some(all, "reject-trajectory"));
        const managed = [context, ...segments, ...condensations].flatMap((decision) => decision.failed);
        expect(context.keep).toBe(own.keep && !some(managed, "reject-context"));
        expect(base.keep).toBe(metrics.base !== null && own.keep && base.failed.every((one) => one.action === "flag"));
        const gone = dropLast === null ? 0 : 1;
        dropped += gone;
        expect(some(all, "drop-last")).toBe(dropLast !== null);
        for (const [list, last] of [
          [segments, 2 * gone],
          [condensations, gone],
        ] as const)
          for (const [index, decision] of list.entries())
            expect(decision.keep).toBe(index < list.length - last && context.keep && decision.failed.every((one) => one.action === "flag"));
      }),
      settings,
    );
    expect(dropped).toBeGreaterThan(10);
  });

  test("drops the last call exactly where everything passes without it, the merged last segment too", () => {
    fc.assert(
      fc.property(arbitraryMetrics, arbitraryLimits, (metrics, limits) => {
        const verdict = judgeMetrics(metrics, limits);
        if (verdict.dropLast === null) return;
        const rest = metricsWithoutLast(metrics);
        if (rest === null) throw new Error("a call was dropped where there is none");
        const again = judgeMetrics(rest, limits);
        expect(again.context.keep).toBe(true);
        expect(again.context.failed.some((one) => one.action === "drop-last")).toBe(false);
        expect(again.segments.at(-1)).toEqual(verdict.dropLast);
        expect(verdict.dropLast.keep).toBe(true);
        expect(verdict.segments.slice(0, -2)).toEqual(again.segments.slice(0, -1));
        expect(verdict.condensations.slice(0, -1)).toEqual(again.condensations);
        expect([verdict.segments.length, verdict.condensations.length]).toEqual([metrics.segments.length, metrics.condensations.length]);
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
        ...plainConduct,
        contamination: uncontaminated,
      },
      blocks: [],
      segments: [],
      condensations: [],
      base: { tokens: 10, trainedTokens: 1, neededTokens: 10 },
      dropLast: null,
      set: nothingToCompare,
    };
    const verdict = judgeMetrics(metrics, { ...FilterRecipe.parse({}), windowTokens: 1024 });
    expect([verdict.trajectory.keep, verdict.context.keep, verdict.base.keep]).toEqual([true, false, true]);
    expect(verdict.context.failed).toEqual([
      { filter: "rejected-upstream", block: null, value: "condense: memory-too-long", limit: null, action: "reject-context" },
    ]);
  });
});

describe("what a failing call costs", () => {
  const passing = { tokens: 10, trainedTokens: 1, neededTokens: 10 };
  const call = (foldRatio: number): BlockMetrics => ({
    cut: 10,
    gapSteps: 10,
    foldTokens: 5_000,
    previousMemoryTokens: 0,
    memoryTokens: 100,
    foldRatio,
    windowTokensBefore: 900,
    windowTokensAfter: 400,
    windowRatio: 0.4,
    checks: {},
    findings: [],
    previousFacts: 0,
    keptFacts: 0,
    ...plainMemory,
    judgedFindings: null,
  });
  const withRatios = (...ratios: number[]): Metrics => ({
    trajectory: {
      resolved: true,
      exit: "submitted",
      steps: 40,
      callLessSteps: 0,
      unrenderable: [],
      preCondensed: false,
      controlTokenTexts: 0,
      baseTokens: 10,
      rejectedBy: null,
      promptTokens: null,
      promptTokensPerCall: null,
      ...plainConduct,
      contamination: uncontaminated,
    },
    blocks: ratios.map(call),
    segments: [passing, ...ratios.map(() => passing)],
    condensations: ratios.map(() => passing),
    base: passing,
    dropLast: ratios.length === 0 ? null : { tokens: 20, trainedTokens: 2, neededTokens: 700 },
    set: nothingToCompare,
  });
  const judged = (metrics: Metrics, filter: Record<string, unknown>, windowTokens = 1024): Verdict =>
    judgeMetrics(metrics, { ...FilterRecipe.parse(filter), windowTokens });
  const kept = ({ trajectory: own, context, segments, condensations, base, dropLast }: Verdict): string =>
    [own, context, ...segments, "|", ...condensations, "|", base, dropLast]
      .map((one) => (one === null ? "-" : typeof one === "string" ? one : one.keep ? "1" : "0"))
      .join("");
  const high = (action: FilterAction) => ({ actions: { "fold-ratio-too-high": action } });
  const low = (action: FilterAction) => ({ actions: { "fold-ratio-too-low": action } });

  test("by default the context management, and no more", () => {
    expect(kept(judged(withRatios(0.3, 0.9), {}))).toBe("10000|00|1-");
  });
  test("all of the trajectory, where asked for", () => {
    expect(kept(judged(withRatios(0.3, 0.9), high("reject-trajectory")))).toBe("00000|00|0-");
  });
  test("one segment: the one that is trained to make the call", () => {
    const verdict = judged(withRatios(0.3, 0.9, 0.3), high("reject-sample"));
    expect(kept(verdict)).toBe("111011|111|1-");
    expect(verdict.segments[1]?.failed).toEqual([
      { filter: "fold-ratio-too-high", block: 1, value: 0.9, limit: 0.7, action: "reject-sample" },
    ]);
  });
  test("or, of a bad memory, the segment that reads it and the condensation that teaches it", () => {
    expect(kept(judged(withRatios(0.3, 0.001, 0.3), low("reject-sample")))).toBe("111101|101|1-");
  });
  test("nothing when it is only flagged, and the row says so", () => {
    const verdict = judged(withRatios(0.3, 0.9), high("flag"));
    expect(kept(verdict)).toBe("11111|11|1-");
    expect(verdict.context.failed.map(({ filter, action }) => `${filter} ${action}`)).toEqual(["fold-ratio-too-high flag"]);
  });
  test("only the last call, where that is the one that fails", () => {
    const verdict = judged(withRatios(0.3, 0.9), high("drop-last"));
    expect(kept(verdict)).toBe("11100|10|11");
    expect(verdict.context.failed).toEqual([{ filter: "fold-ratio-too-high", block: 1, value: 0.9, limit: 0.7, action: "drop-last" }]);
  });
  test("an earlier call cannot go: later memories were made from it", () => {
    const verdict = judged(withRatios(0.9, 0.3), high("drop-last"));
    expect(kept(verdict)).toBe("10000|00|1-");
    expect(verdict.context.failed[0]).toMatchObject({ block: 0, action: "reject-context" });
  });
  test("nor the last where the merged segment does not fit, or too few calls are left, or another filter rejects", () => {
    const drop = high("drop-last");
    expect(kept(judged(withRatios(0.3, 0.9), drop, 699))).toBe("10000|00|1-");
    expect(kept(judged(withRatios(0.9), drop))).toBe("1000|0|1-");
    expect(kept(judged(withRatios(0.9), { ...drop, minContextCalls: 0 }))).toBe("1100|0|11");
    expect(kept(judged(withRatios(0.3, 0.001), { actions: { ...drop.actions } }))).toBe("10000|00|1-");
    expect(kept(judged(withRatios(0.3, 0.9), { ...drop, minFoldTokens: 6_000 }))).toBe("10000|00|1-");
  });
  test("one call too many is one that can be dropped, two are not", () => {
    const limits = { maxContextCalls: 2, actions: { "too-many-calls": "drop-last" } };
    expect(kept(judged(withRatios(0.3, 0.3, 0.3), limits))).toBe("111100|110|11");
    expect(kept(judged(withRatios(0.3, 0.3, 0.3, 0.3), limits))).toBe("1000000|0000|1-");
  });
  test("`others` speaks for every filter that is not named", () => {
    const verdict = judged(
      { ...withRatios(0.3, 0.9), trajectory: { ...withRatios().trajectory, resolved: false, steps: 900 } },
      { actions: { others: "flag" } },
    );
    expect(kept(verdict)).toBe("11111|11|1-");
    expect(verdict.trajectory.failed.map((one) => one.filter)).toEqual(["unresolved", "too-many-steps"]);
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
    const outcome = await judge.run({ metrics }, judge.params.parse({ filter: ThresholdRecipe.parse({}), windowTokens: 2000 }), ports);
    expect(outcome.ok).toBe(true);
    if (outcome.ok) expect(Verdict.parse(outcome.value)).toEqual(judgeMetrics(metrics, { ...FilterRecipe.parse({}), windowTokens: 2000 }));
  }
});
