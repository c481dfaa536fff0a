import { expect, test } from "vitest";
import type { BlockMetrics, Metrics } from "../../../schemas/metrics.ts";
import type { Detection, InsertionPoint } from "../../../schemas/sidecars.ts";
import { ChainStats } from "../../../schemas/stats.ts";
import { createChainStatistics } from "../../../stages/export/chain-statistics.ts";
import { chainTable } from "../../../stages/export/chain-table.ts";
import { smallBundle, smallRecipe } from "./small-bundles.ts";

const { metrics: base } = await smallBundle(smallRecipe());

const metricsWith = (blocks: readonly Partial<BlockMetrics>[]): Metrics => {
  const [block] = base.blocks;
  if (block === undefined) throw new Error("the small run has context calls");
  return { ...base, blocks: blocks.map((changes) => ({ ...block, ...changes })) };
};

interface Placed {
  readonly reasons?: readonly InsertionPoint["reason"][];
  readonly cost?: number;
  readonly appendOnly?: number;
  readonly regret?: number | null;
}

const detectionWith = ({ reasons = [], cost = 0, appendOnly = 0, regret = null }: Placed): Detection => ({
  candidates: [],
  points: reasons.map((reason, index) => ({ cut: 10 * index + 5, keptFrom: 10 * index + 2, reason })),
  placement: {
    objective: 0,
    costTokens: cost,
    appendOnlyCostTokens: appendOnly,
    points: [],
    pastOnly: regret === null ? null : { minScore: 0.5, occupancy: null, calls: 1, objective: -regret, regret },
  },
});

test("each call counts at its place in the chain, from the fourth on together", () => {
  const chain = createChainStatistics();
  const ratios = [0.1, 0.2, 0.3, 0.4, 0.6];
  chain.add(metricsWith(ratios.map((foldRatio, index) => ({ foldRatio, memoryTokens: 100 * (index + 1), gapSteps: index + 7 }))), null);
  chain.add(metricsWith([{ foldRatio: 0.3, memoryTokens: 500, gapSteps: 9 }]), null);
  chain.add(metricsWith([]), null);
  const stats = ChainStats.parse(chain.stats());
  expect(stats.chainLengths).toEqual({ "0": 1, "1": 1, "5": 1 });
  expect(stats.blocks).toEqual({ mean: 2, median: 1, max: 5 });
  expect(stats.hops.map(({ hop, calls }) => [hop, calls])).toEqual([
    ["1", 2],
    ["2", 1],
    ["3", 1],
    ["4+", 2],
  ]);
  expect(stats.hops[0]).toMatchObject({
    foldRatio: { mean: 0.2, median: 0.2, max: 0.3 },
    memoryTokens: { mean: 300 },
    gapSteps: { mean: 8, max: 9 },
  });
  expect(stats.hops[3]).toMatchObject({ foldRatio: { mean: 0.5, max: 0.6 }, memoryTokens: { mean: 450 }, gapSteps: { median: 10.5 } });
  expect(stats.gapSteps).toEqual({ mean: 9, median: 9, max: 11 });
});

test("saved cost counts trajectories with a call, and a placement that costs more counts as a loss", () => {
  const chain = createChainStatistics();
  chain.add(metricsWith([{}]), detectionWith({ reasons: ["signals", "cost"], cost: 60, appendOnly: 100, regret: 0.25 }));
  chain.add(metricsWith([{}]), detectionWith({ reasons: ["window"], cost: 120, appendOnly: 100, regret: 0 }));
  chain.add(metricsWith([]), detectionWith({ cost: 100, appendOnly: 100, regret: null }));
  const stats = ChainStats.parse(chain.stats());
  expect(stats.savedShare).toEqual({ mean: 0.1, median: 0.1, max: 0.4 });
  expect(stats.reasons).toEqual({ signals: 1, window: 1, cost: 1 });
  expect(stats.regret).toEqual({ mean: 0.125, median: 0.125, max: 0.25 });
  expect(stats.regretUnknown).toBe(1);
});

test("without a trajectory there are nulls, and a table with dashes", () => {
  const stats = ChainStats.parse(createChainStatistics().stats());
  expect(stats).toMatchObject({ blocks: null, gapSteps: null, savedShare: null, regret: null, chainLengths: {} });
  expect(chainTable(stats)).toMatch(/context calls per trajectory +- +- +-/);
  expect(chainTable(stats)).toContain("trajectories by number of context calls: none");
});

test("the table has a block of rows for each place in the chain that occurs", () => {
  const chain = createChainStatistics();
  chain.add(
    metricsWith([{ foldRatio: 0.25 }, {}]),
    detectionWith({ reasons: ["signals", "signals"], cost: 50, appendOnly: 100, regret: 0.1 }),
  );
  const text = chainTable(chain.stats());
  expect(text).toMatch(/call 1 \(1\): fold ratio +25 % +25 % +25 %/);
  expect(text).toContain("call 2: memory tokens");
  expect(text).not.toContain("call 3");
  expect(text).toMatch(/share of cost saved, trajectories with a call +50 %/);
  expect(text).toContain("reasons of context calls: 2 signals, 0 window, 0 cost");
});
