import type { Flow, Funnel } from "../../schemas/funnel.ts";
import { grouped } from "./number-text.ts";

const percent = (part: number, whole: number): string => (whole === 0 ? "-" : `${grouped((100 * part) / whole, 1)} %`);

/** What is left after each filter that loses something, in order; then sources and outcomes. */
function rowsOf({ total, byFilter, bySetRule, bySource, byOutcome }: Funnel): string[][] {
  const left = { ...total.in };
  const rows: string[][] = [["measured", "", "", grouped(left.trajectories), grouped(left.segments)]];
  for (const { filter, lost, rejects, only, flags } of byFilter) {
    if (rejects + flags + lost.segments === 0) continue;
    left.trajectories -= lost.trajectories;
    left.segments -= lost.segments;
    const what = [
      ...(rejects > 0 ? [`${grouped(rejects)} fail, ${grouped(only)} by it alone`] : []),
      ...(flags > 0 ? [`${grouped(flags)} flagged only`] : []),
    ].join(", ");
    rows.push([
      filter,
      what,
      `-${grouped(lost.trajectories)} / -${grouped(lost.segments)}`,
      grouped(left.trajectories),
      grouped(left.segments),
    ]);
  }
  for (const { rule, lost, leftOut } of bySetRule) {
    left.trajectories -= lost.trajectories;
    left.segments -= lost.segments;
    rows.push([
      `set: ${rule}`,
      `${grouped(leftOut)} left out`,
      `-${grouped(lost.trajectories)} / -${grouped(lost.segments)}`,
      grouped(left.trajectories),
      grouped(left.segments),
    ]);
  }
  rows.push([
    "kept",
    "",
    `${percent(total.kept.trajectories, total.in.trajectories)} / ${percent(total.kept.segments, total.in.segments)}`,
    grouped(total.kept.trajectories),
    grouped(total.kept.segments),
  ]);
  const parts = (what: string, flows: Readonly<Record<string, Flow>>): string[][] =>
    Object.entries(flows).map(([name, flow]) => [
      `kept, ${what} ${name}`,
      `of ${grouped(flow.in.trajectories)} / ${grouped(flow.in.segments)}`,
      `${percent(flow.kept.trajectories, flow.in.trajectories)} / ${percent(flow.kept.segments, flow.in.segments)}`,
      grouped(flow.kept.trajectories),
      grouped(flow.kept.segments),
    ]);
  return [...rows, ...parts("source", bySource), ...parts("outcome", byOutcome)];
}

const heads = ["", "in", "lost / share", "trajectories left", "segments left"];

/** One line on what the kept samples took. */
export function spentLine({ keptSamples, spent, perKeptSample }: Funnel): string {
  if (spent.calls === 0) return `No model was asked for these ${grouped(keptSamples)} kept samples.`;
  const money = spent.cost === null ? "" : `, ${grouped(spent.cost.amount, 4)} ${spent.cost.currency}`;
  const each =
    perKeptSample.tokens === null
      ? ""
      : `; per kept sample ${grouped(perKeptSample.tokens, 1)} tokens${perKeptSample.cost === null ? "" : ` and ${grouped(perKeptSample.cost.amount, 6)} ${perKeptSample.cost.currency}`}`;
  return `Spent on ${grouped(keptSamples)} kept samples: ${grouped(spent.calls)} model calls, ${grouped(spent.tokensIn)} tokens in, ${grouped(spent.tokensOut)} out${money}${each}.`;
}

/** As aligned plain text. */
export function funnelTable(funnel: Funnel): string {
  const rows = [heads, ...rowsOf(funnel)];
  const widths = heads.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => (column < 2 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join("  ")
      .trimEnd();
  return `${rows.map(line).join("\n")}\n${spentLine(funnel)}\n`;
}

/** The same as a Markdown table. */
export const funnelMarkdown = (funnel: Funnel): string =>
  [
    ...[heads, ["---", "---", "---:", "---:", "---:"], ...rowsOf(funnel)].map((row) => `| ${row.join(" | ")} |`),
    "",
    spentLine(funnel),
  ].join("\n");
