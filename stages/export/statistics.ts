import type { Metrics } from "../../schemas/metrics.ts";
import type { Compression, Stats } from "../../schemas/stats.ts";
import { rounded, Tally } from "./tally.ts";

/** Table 1 of the paper: average, median, max. */
const paper: Stats["paper"] = {
  steps: { mean: 87.4, median: 77.5, max: 500 },
  tokensPerStep: { mean: 13_044, median: 10_875, max: 65_536 },
  contextCalls: { mean: 4.22, median: 4, max: 26 },
  compression: { tokensBefore: 15_585, tokensAfter: 4_676, ratio: 0.3 },
};

/** Means over context calls. */
class Means {
  private calls = 0;
  private before = 0;
  private after = 0;
  private ratio = 0;

  add(before: number, after: number, ratio: number): void {
    this.calls += 1;
    this.before += before;
    this.after += after;
    this.ratio += ratio;
  }

  compression(): Compression {
    const mean = (sum: number): number | null => (this.calls === 0 ? null : rounded(sum / this.calls));
    return { tokensBefore: mean(this.before), tokensAfter: mean(this.after), ratio: mean(this.ratio) };
  }
}

export interface Statistics {
  /** One trajectory. */
  add(metrics: Metrics): void;
  stats(funnel?: Stats["funnel"]): Stats;
}

/** Gathers Table 1 from metrics, one trajectory at a time. Which trajectories count is the caller's choice. */
export function createStatistics(): Statistics {
  const [steps, stepsWithCalls, tokensPerStep, contextCalls] = [new Tally(), new Tally(), new Tally(), new Tally()];
  const [fold, wholeWindow] = [new Means(), new Means()];
  let trajectories = 0;
  return {
    add({ trajectory, blocks }) {
      trajectories += 1;
      steps.add(trajectory.steps);
      stepsWithCalls.add(trajectory.steps + blocks.length);
      contextCalls.add(blocks.length);
      for (const tokens of trajectory.promptTokensPerCall ?? []) tokensPerStep.add(tokens);
      for (const block of blocks) {
        fold.add(block.previousMemoryTokens + block.foldTokens, block.memoryTokens, block.foldRatio);
        wholeWindow.add(block.windowTokensBefore, block.windowTokensAfter, block.windowRatio);
      }
    },
    stats: (funnel = null) => ({
      paper,
      run: {
        trajectories,
        steps: steps.spread(),
        stepsWithCalls: stepsWithCalls.spread(),
        tokensPerStep: tokensPerStep.spread(),
        contextCalls: contextCalls.spread(),
        fold: fold.compression(),
        wholeWindow: wholeWindow.compression(),
      },
      mixtures: null,
      funnel,
    }),
  };
}
