import type { ChainStats, Spread } from "../../schemas/stats.ts";
import { grouped } from "./number-text.ts";

const absent = "-";
type Figures = ChainStats["savedShare"] | Spread;

const figures = (spread: Figures, written: (value: number) => string): string[] =>
  (["mean", "median", "max"] as const).map((key) => (spread === null ? absent : written(spread[key])));
const plain = (digits: number) => (value: number) => grouped(value, digits);
const percent = (value: number): string => `${grouped(100 * value, 1)} %`;

const heads = ["memory chain", "mean", "median", "max"];

function rowsOf(chain: ChainStats): string[][] {
  const hops = chain.hops.flatMap(({ hop, calls, foldRatio, memoryTokens, gapSteps }) =>
    calls === 0
      ? []
      : [
          [`call ${hop} (${grouped(calls, 0)}): fold ratio`, ...figures(foldRatio, percent)],
          [`call ${hop}: memory tokens`, ...figures(memoryTokens, plain(0))],
          [`call ${hop}: steps since the one before`, ...figures(gapSteps, plain(1))],
        ],
  );
  return [
    ["context calls per trajectory", ...figures(chain.blocks, plain(2))],
    ["steps between context calls", ...figures(chain.gapSteps, plain(1))],
    ...hops,
    ["share of cost saved, trajectories with a call", ...figures(chain.savedShare, percent)],
    ["regret of the best past-only rule", ...figures(chain.regret, plain(3))],
  ];
}

/** The memory chain as aligned plain text. */
export function chainTable(chain: ChainStats): string {
  const rows = [heads, ...rowsOf(chain)];
  const widths = heads.map((_head, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    row.map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join("  ");
  const lengths = Object.entries(chain.chainLengths).map(([length, count]) => `${length}: ${count}`);
  const { signals, window, cost } = chain.reasons;
  return [
    ...rows.map(line),
    "",
    `trajectories by number of context calls: ${lengths.join(", ") || "none"}`,
    `reasons of context calls: ${signals} signals, ${window} window, ${cost} cost`,
    ...(chain.regretUnknown > 0
      ? [`trajectories in which no past-only rule keeps within the window: ${chain.regretUnknown} (not in the regret)`]
      : []),
  ].join("\n");
}
