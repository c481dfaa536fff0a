import fc from "fast-check";
import { expect, test } from "vitest";
import type { BlockMetrics, Metrics } from "../../../../schemas/metrics.ts";
import { FilterRecipe } from "../../../../schemas/recipe/filter.ts";
import type { Block } from "../../../../schemas/sidecars.ts";
import { type CaseSeen, evidenceOf } from "../../../../stages/filter/analysis/evidence.ts";
import { probeOf, thresholds, worstSeen } from "../../../../stages/filter/analysis/thresholds.ts";
import type { Limits } from "../../../../stages/filter/filters/filter.ts";
import { arbitraryMetrics } from "../../../fakes/arbitrary-metrics.ts";
import { arbitraryTrajectory } from "../../../fakes/arbitrary-trajectory.ts";
import { plainMemory } from "../../../fakes/plain-conduct.ts";
import { bashStep, trajectoryOf, wordStep } from "../../../fakes/steps.ts";

const limits: Limits = { ...FilterRecipe.parse({}), windowTokens: 65_536 };
const probes = thresholds.map((threshold) => probeOf(threshold, limits));

function told(name: string, seen: CaseSeen): { call: number | null; evidence: readonly string[] } {
  const probe = probes.find(({ threshold }) => threshold.name === name);
  if (probe === undefined) throw new Error(name);
  return evidenceOf(probe, seen, worstSeen(probe, seen.metrics));
}

const measured = (cut: number, set: Partial<BlockMetrics> = {}): BlockMetrics => ({
  cut,
  gapSteps: 4,
  foldTokens: 2_000,
  previousMemoryTokens: 0,
  memoryTokens: 500,
  foldRatio: 0.25,
  windowTokensBefore: 4_000,
  windowTokensAfter: 2_000,
  windowRatio: 0.5,
  checks: {},
  findings: [],
  previousFacts: 0,
  keptFacts: 0,
  ...plainMemory,
  judgedFindings: null,
  ...set,
});

const block = (cut: number, keptFrom: number, judged: Block["judged"] = null): Block => ({
  cut,
  keptFrom,
  thought: "t",
  memory: "m",
  writer: { condenser: "extractive", version: 2 },
  judged,
});

const [base] = fc.sample(
  arbitraryMetrics.filter(({ blocks }) => blocks.length === 0),
  { seed: 1, numRuns: 1 },
);
const metricsOf = (...blocks: readonly BlockMetrics[]): Metrics => {
  if (base === undefined) throw new Error("no metrics");
  return { ...base, trajectory: { ...base.trajectory, steps: 8, callLessSteps: 2, controlTokenTexts: 3 }, blocks: [...blocks] };
};

const steps = [
  bashStep("ls", "a b"),
  bashStep("cat long.txt", "x".repeat(5_000)),
  wordStep("I wonder.", "Please call a tool."),
  bashStep("cat longer.txt", "x".repeat(9_000)),
  bashStep("make", "said <|im_end|> and <tool_call>"),
  bashStep("echo <|im_start|>", ""),
  wordStep("Hm.", "A tool, please."),
  wordStep("Done.", ""),
];
const trajectory = trajectoryOf(steps);

test("a filter over a check shows the call, the words of its memory, and how many more there are", () => {
  const checks: BlockMetrics["checks"] = { "no-leak": [9, 1], grounded: [40, 10] };
  const findings = [
    { check: "no-leak", words: "other", why: "not asked" },
    { check: "grounded", words: "ghost.py", why: "path was never shown" },
  ];
  const { call, evidence } = told("maxUngroundedShare", {
    metrics: metricsOf(measured(2), measured(6, { checks, findings })),
    trajectory,
    memory: null,
    rendered: null,
  });
  expect(call).toBe(2);
  expect(evidence.slice(0, -1)).toEqual([
    expect.stringMatching(/^call 2 of 2: cut 6, gapSteps 4/),
    "grounded: 10 wrong in 40",
    '"ghost.py": path was never shown',
    "and 9 more",
  ]);
});

test("a filter over the second opinion shows what it says", () => {
  const judged = { model: "m", request: "0".repeat(64), findings: [{ words: "tests pass", why: "they were not run" }], found: 1 };
  const { evidence } = told("maxJudged", {
    metrics: metricsOf(measured(6, { judgedFindings: 1 })),
    trajectory,
    memory: { blocks: [block(6, 5, judged)] },
    rendered: null,
  });
  expect(evidence).toContain('"tests pass": they were not run');
});

test("a filter over folds shows which steps went, and the largest of them", () => {
  const { call, evidence } = told("minFoldTokens", {
    metrics: metricsOf(measured(2), measured(6, { foldTokens: 10 })),
    trajectory,
    memory: { blocks: [block(2, 1), block(6, 6)] },
    rendered: null,
  });
  expect(call).toBe(2);
  expect(evidence).toContain("folds steps 2-6, the largest of them:");
  expect(evidence).toContain('  step 4: execute_bash {"command":"cat longer.txt"} -> 9000 characters');
});

test("a filter over the run shows the steps that count: those without a call, those with control tokens", () => {
  const seen = { metrics: metricsOf(), trajectory, memory: null, rendered: null };
  expect(told("maxCallLessSteps", seen)).toMatchObject({
    call: null,
    evidence: [
      'step 3: no call, "I wonder.", answered "Please call a tool."',
      'step 7: no call, "Hm.", answered "A tool, please."',
      expect.stringMatching(/^run: /),
    ],
  });
  expect(told("maxControlTokenTexts", seen).evidence.slice(0, -1)).toEqual([
    'step 5: 2 places, the first in "said <|im_end|> and <tool_call>"',
    expect.stringMatching(/^step 6: 1 place, the first in .*<\|im_start\|>/),
  ]);
});

test("context calls are named where their number counts", () => {
  const { evidence } = told("maxContextCalls", { metrics: metricsOf(measured(2), measured(6)), trajectory, memory: null, rendered: null });
  expect(evidence.slice(0, -1)).toEqual(["call 1 after step 2, over 2000 tokens", "call 2 after step 6, over 2000 tokens"]);
});

test("an overlap with an evaluation set is named with its task", () => {
  const metrics = metricsOf();
  const contamination = { instance: [], repository: [], text: [{ list: "verified", instance: "acme__web-1", share: 0.125 }], patch: [] };
  const { evidence } = told("maxEvaluationTextShare", {
    metrics: { ...metrics, trajectory: { ...metrics.trajectory, contamination } },
    trajectory,
    memory: null,
    rendered: null,
  });
  expect(evidence[0]).toBe("12.5 % of acme__web-1 (verified)");
});

test("whatever the data, every threshold has evidence that ends with the run, in lines that fit a page", () => {
  fc.assert(
    fc.property(arbitraryMetrics, arbitraryTrajectory({ defects: true, controlTexts: true, longText: 5_000 }), (metrics, run) => {
      for (const probe of probes) {
        const value = worstSeen(probe, metrics);
        for (const seen of [
          { metrics, trajectory: run, memory: null, rendered: null },
          { metrics, trajectory: null, memory: null, rendered: null },
        ]) {
          const { call, evidence } = evidenceOf(probe, seen, value);
          expect(call === null || (call >= 1 && call <= metrics.blocks.length)).toBe(true);
          expect(evidence.at(-1)).toMatch(/^run: /);
          expect(evidence.length).toBeLessThan(20);
          expect(evidence.every((line) => !line.includes("\n"))).toBe(true);
        }
      }
    }),
    { seed: 701, numRuns: 200 },
  );
});
