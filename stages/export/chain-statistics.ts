import type { Metrics } from "../../schemas/metrics.ts";
import type { Detection } from "../../schemas/sidecars.ts";
import type { ChainStats } from "../../schemas/stats.ts";
import { Tally } from "./tally.ts";

/** Shares and regrets are counted to four digits, so that their tallies stay small whatever the size of a run. */
const rounded = (value: number): number => Math.round(value * 1e4) / 1e4;

const hopNames = ["1", "2", "3", "4+"] as const;

interface HopTallies {
  calls: number;
  readonly foldRatio: Tally;
  readonly memoryTokens: Tally;
  readonly gapSteps: Tally;
}

export interface ChainStatistics {
  /** One trajectory; `detection` null: rejected before there was one. */
  add(metrics: Metrics, detection: Detection | null): void;
  stats(): ChainStats;
}

/** Gathers the memory chain's numbers, one trajectory at a time. Which trajectories count is the caller's choice. */
export function createChainStatistics(): ChainStatistics {
  const [blocks, gapSteps, savedShare, regret] = [new Tally(), new Tally(), new Tally(), new Tally()];
  const hops = hopNames.map((): HopTallies => ({ calls: 0, foldRatio: new Tally(), memoryTokens: new Tally(), gapSteps: new Tally() }));
  const lengths = new Map<number, number>();
  const reasons = { signals: 0, window: 0, cost: 0 };
  let regretUnknown = 0;

  const addBlock = (block: Metrics["blocks"][number], index: number): void => {
    gapSteps.add(block.gapSteps);
    const hop = hops[Math.min(index, hops.length - 1)];
    if (hop === undefined) return;
    hop.calls += 1;
    hop.foldRatio.add(rounded(block.foldRatio));
    hop.memoryTokens.add(block.memoryTokens);
    hop.gapSteps.add(block.gapSteps);
  };

  const addPlacement = ({ points, placement }: Detection): void => {
    for (const { reason } of points) reasons[reason] += 1;
    if (placement.pastOnly === null) regretUnknown += 1;
    else regret.add(rounded(placement.pastOnly.regret));
    if (points.length > 0 && placement.appendOnlyCostTokens > 0)
      savedShare.add(rounded(1 - placement.costTokens / placement.appendOnlyCostTokens));
  };

  return {
    add(metrics, detection) {
      blocks.add(metrics.blocks.length);
      lengths.set(metrics.blocks.length, (lengths.get(metrics.blocks.length) ?? 0) + 1);
      for (const [index, block] of metrics.blocks.entries()) addBlock(block, index);
      if (detection !== null) addPlacement(detection);
    },
    stats: () => ({
      blocks: blocks.spread(),
      chainLengths: Object.fromEntries([...lengths].sort(([a], [b]) => a - b).map(([length, count]) => [String(length), count])),
      hops: hopNames.map((hop, index) => ({
        hop,
        calls: hops[index]?.calls ?? 0,
        foldRatio: hops[index]?.foldRatio.spread() ?? null,
        memoryTokens: hops[index]?.memoryTokens.spread() ?? null,
        gapSteps: hops[index]?.gapSteps.spread() ?? null,
      })),
      gapSteps: gapSteps.spread(),
      savedShare: savedShare.spread(),
      regret: regret.spread(),
      regretUnknown,
      reasons: { ...reasons },
    }),
  };
}
