import type { Compression, Spread, Stats } from "../../schemas/stats.ts";
import { grouped } from "./number-text.ts";

const absent = "-";

const written = (value: number | null | undefined, digits: number): string =>
  value === null || value === undefined ? absent : grouped(value, digits);

const spreadRows = (name: string, digits: number, ...columns: readonly Spread[]): string[][] =>
  (["mean", "median", "max"] as const).map((key) => [`${name}, ${key}`, ...columns.map((spread) => written(spread?.[key], digits))]);

const percent = (ratio: number | null): string => (ratio === null ? absent : `${written(100 * ratio, 1)} %`);

const compressionRows = (name: string, ...columns: readonly Compression[]): string[][] => [
  [`${name}, mean tokens before`, ...columns.map((one) => written(one.tokensBefore, 0))],
  [`${name}, mean tokens after`, ...columns.map((one) => written(one.tokensAfter, 0))],
  [`${name}, mean ratio`, ...columns.map((one) => percent(one.ratio))],
];

/** Statistic, paper, run. The paper's one compression stands beside both of ours, as it does not say which it means. */
const rowsOf = ({ paper, run }: Stats): string[][] => [
  ["trajectories", absent, written(run.trajectories, 0)],
  ...spreadRows("steps", 2, paper.steps, run.steps),
  ...spreadRows("steps and context calls", 2, paper.steps, run.stepsWithCalls),
  ...spreadRows("tokens per step", 0, paper.tokensPerStep, run.tokensPerStep),
  ...spreadRows("context calls per trajectory", 2, paper.contextCalls, run.contextCalls),
  ...compressionRows("fold", paper.compression, run.fold),
  ...compressionRows("whole window", paper.compression, run.wholeWindow),
];

const heads = ["statistic", "CAT-Instruct", "this run"];

/** Table 1 beside ours as aligned plain text. */
export function statsTable(stats: Stats): string {
  const rows = [heads, ...rowsOf(stats)];
  const widths = heads.map((_head, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    row.map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join("  ");
  return `${rows.map(line).join("\n")}\n`;
}

/** The same as a Markdown table. */
export const statsMarkdown = (stats: Stats): string =>
  [heads, ["---", "---:", "---:"], ...rowsOf(stats)].map((row) => `| ${row.join(" | ")} |`).join("\n");
