import fc from "fast-check";
import { expect, test } from "vitest";
import { Funnel } from "../../../schemas/funnel.ts";
import type { Verdict } from "../../../schemas/verdict.ts";
import { createFunnel, nothingSpent } from "../../../stages/export/funnel.ts";
import { funnelPlot } from "../../../stages/export/funnel-plot.ts";
import { funnelMarkdown, funnelTable } from "../../../stages/export/funnel-table.ts";
import { filters } from "../../../stages/filter/filters/index.ts";
import { judgeMetrics } from "../../../stages/filter/judge.ts";
import { arbitraryLimits, arbitraryMetrics } from "../../fakes/arbitrary-metrics.ts";
import { uncontaminated } from "../../fakes/no-evaluation.ts";
import { plainConduct } from "../../fakes/plain-conduct.ts";
import { nothingToCompare } from "../../fakes/set-metrics.ts";

const many = fc.array(arbitraryMetrics, { maxLength: 25 });
const names = Object.keys(filters);
/** The set-level pass looks only at what the verdict keeps something of. */
const selectable = ({ segments, condensations, base, dropLast }: Verdict): boolean =>
  [...segments, ...condensations, base, ...(dropLast === null ? [] : [dropLast])].some(({ keep }) => keep);

test("nothing gets lost between in and kept: over filters, sources and outcomes alike", () => {
  fc.assert(
    fc.property(many, arbitraryLimits, (all, limits) => {
      const gathering = createFunnel(names);
      let samples = 0;
      for (const [index, metrics] of all.entries()) {
        const verdict = judgeMetrics(metrics, limits);
        gathering.add(
          `${index % 2 === 0 ? "even" : "odd"}/task-${index}/0`,
          metrics,
          verdict,
          index % 5 === 4 && selectable(verdict)
            ? { rule: index % 10 === 4 ? "mix" : "per-instance", of: "x", value: null, limit: 1 }
            : null,
        );
        const decisions = [
          ...verdict.segments,
          ...verdict.condensations,
          verdict.base,
          ...(verdict.dropLast === null ? [] : [verdict.dropLast]),
        ];
        if (index % 5 !== 4) samples += decisions.filter(({ keep }) => keep).length;
      }
      const { total, byFilter, bySetRule, bySource, byOutcome, keptSamples } = Funnel.parse(gathering.funnel(nothingSpent));
      for (const what of ["trajectories", "segments"] as const) {
        const lost = [...byFilter, ...bySetRule].reduce((sum, { lost: one }) => sum + one[what], 0);
        expect(total.in[what] - lost).toBe(total.kept[what]);
        for (const flows of [bySource, byOutcome])
          for (const side of ["in", "kept"] as const)
            expect(Object.values(flows).reduce((sum, flow) => sum + flow[side][what], 0)).toBe(total[side][what]);
      }
      expect(total.in.trajectories).toBe(all.length);
      expect(keptSamples).toBe(samples);
      for (const { lost, rejects, only } of byFilter) expect(Math.max(lost.trajectories, only)).toBeLessThanOrEqual(rejects);
    }),
    { seed: 301, numRuns: 300 },
  );
});

test("what was spent is divided among the kept samples, and left out where nothing is kept", () => {
  const spent = { calls: 10, tokensIn: 900, tokensOut: 100, cost: { amount: 0.5, currency: "EUR" } };
  expect(createFunnel(names).funnel(spent).perKeptSample).toEqual({ tokens: null, cost: null });
  const gathering = createFunnel(names);
  const passing = { tokens: 1, trainedTokens: 1, neededTokens: 1 };
  const decision = { keep: true, failed: [] };
  gathering.add(
    "source/task/0",
    {
      trajectory: {
        resolved: true,
        exit: "submitted",
        steps: 3,
        callLessSteps: 0,
        unrenderable: [],
        preCondensed: false,
        controlTokenTexts: 0,
        baseTokens: 1,
        rejectedBy: null,
        promptTokens: null,
        promptTokensPerCall: null,
        ...plainConduct,
        contamination: uncontaminated,
      },
      blocks: [],
      segments: [passing],
      condensations: [],
      base: passing,
      dropLast: null,
      set: nothingToCompare,
    },
    { trajectory: decision, context: decision, segments: [decision], condensations: [], base: decision, dropLast: null },
    null,
  );
  const funnel = gathering.funnel(spent);
  expect(funnel.perKeptSample).toEqual({ tokens: 500, cost: { amount: 0.25, currency: "EUR" } });
  expect(funnelTable(funnel)).toContain("per kept sample 500 tokens and 0.25 EUR");
  expect(funnelMarkdown(funnel)).toContain("| kept, source source | of 1 / 1 | 100 % / 100 % | 1 | 1 |");
});

test("table and plot name what loses something, and nothing else", () => {
  const gathering = createFunnel(names);
  const limits = { ...fc.sample(arbitraryLimits, { seed: 1, numRuns: 1 })[0], actions: {} };
  for (const [index, metrics] of fc.sample(arbitraryMetrics, { seed: 2, numRuns: 40 }).entries())
    gathering.add(`s/task-${index}/0`, metrics, judgeMetrics(metrics, limits as Parameters<typeof judgeMetrics>[1]), null);
  const funnel = gathering.funnel(nothingSpent);
  const losing = funnel.byFilter.filter(({ lost }) => lost.trajectories + lost.segments > 0).map(({ filter }) => filter);
  expect(losing.length).toBeGreaterThan(2);
  for (const name of names) expect([name, funnelPlot(funnel).includes(`>${name}<`)]).toEqual([name, losing.includes(name)]);
  for (const name of losing) expect(funnelTable(funnel)).toContain(`\n${name} `);
  expect(funnelPlot(createFunnel(names).funnel(nothingSpent))).not.toMatch(/NaN|undefined/);
});
