import type { Analysis, Border, Curve, MeasureSpread, OnlyIn, PairGrid, Suggestion, VerdictDiff } from "../../schemas/analysis.ts";
import { selectionText } from "../run/selection-summary.ts";
import { safe } from "./safe-text.ts";
import { table } from "./shared.ts";

const number = (value: number): string => (Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(4))));
const share = (part: number, whole: number): string => (whole === 0 ? "-" : `${((100 * part) / whole).toFixed(1)} %`);

const spreadTable = (measures: readonly MeasureSpread[]): string =>
  table(
    ["measure", "count", "min", "p1", "p5", "p25", "p50", "p75", "p95", "p99", "max"],
    measures.map(({ measure, count, min, p1, p5, p25, p50, p75, p95, p99, max }) => [
      measure,
      String(count),
      ...[min, p1, p5, p25, p50, p75, p95, p99, max].map(number),
    ]),
  );

/** Filters that never fail are named where everything is asked for, else counted. */
function filtersText({ filters }: Analysis, all: boolean): string {
  const failing = filters.filter(({ fails }) => fails > 0);
  const silent = filters.filter(({ fails }) => fails === 0).map(({ filter }) => filter);
  return [
    table(
      ["filter", "threshold", "action", "fails", "rejects", "only this", "last call dropped"],
      failing.map(({ filter, threshold, action, fails, rejects, only, dropsLast }) => [
        filter,
        threshold ?? "-",
        action,
        ...[fails, rejects, only, dropsLast].map(String),
      ]),
    ),
    ...(silent.length === 0
      ? []
      : [`${all ? "" : `${silent.length} others `}fail nowhere (base samples aside)${all ? `: ${silent.join(", ")}` : ""}`]),
  ].join("\n");
}

/** Pairs that are shown: our choice, what fits a screen beside the filters, and what can be read at all. */
const mostOverlaps = { brief: 5, all: 15 };

function overlapsText({ overlaps }: Analysis, most: number): string {
  if (overlaps.length === 0) return "no two filters reject the same trajectory";
  const rows = overlaps
    .slice(0, most)
    .map(({ filters: [first, second], together, only }) => [`${first} + ${second}`, String(together), String(only)]);
  const more = overlaps.length > most ? [`... and ${overlaps.length - most} more pairs (all of them: --json)`] : [];
  return [table(["filters", "together", "only these two"], rows), ...more].join("\n");
}

function curveText({ threshold, filter, limit, values }: Curve, measured: Analysis["measured"]): string {
  const head = `${threshold} (${filter}), ${limit === null ? "off now" : `now ${number(limit)}`}`;
  if (values.length === 0) return `${head}: nothing to move`;
  const rows = values.map(({ value, kept }) => [
    `${value === limit ? "* " : "  "}${number(value)}`,
    String(kept.trajectories),
    share(kept.trajectories, measured.trajectories),
    String(kept.segments),
  ]);
  return `${head}\n${table(["  value", "trajectories", "of all", "segments"], rows)}`;
}

/** One threshold with its nearest cases and what they can be checked by. */
export function borderText({ threshold, limit, passes, fails }: Border): string {
  const side = (name: string, cases: Border["passes"]): string[] =>
    cases.flatMap(({ id, value, call, evidence }) => [
      `  ${name} ${number(value)}  ${id}${call === null ? "" : ` --fold ${call}`}`,
      ...evidence.map((line) => `        ${safe(line)}`),
    ]);
  const lines = [...side("passes", passes), ...side("fails ", fails)];
  return [`${threshold} ${number(limit)}`, ...(lines.length === 0 ? ["  nothing hangs on it"] : lines)].join("\n");
}

const pairText = ({ thresholds: [first, second], rows, columns, kept }: PairGrid): string =>
  table(
    [`${first} \\ ${second}`, ...columns.map(number)],
    rows.map((row, index) => [number(row), ...(kept[index] ?? []).map(String)]),
  );

function suggestionText({ wanted, kept, reachable, cutShare, limits }: Suggestion, run: string, verdict: string): string {
  const head = `Thresholds that keep ${(100 * wanted).toFixed(1)} % of the measured trajectories`;
  if (limits.length === 0)
    return `${head}: none of those that may move is on and rejects; switch on what should decide, e.g. --set filter.maxFoldRatio=1, or name others with --move`;
  const set = limits.map(({ threshold, to }) => `--set filter.${threshold}=${to}`).join(" ");
  const named = verdict === "default" ? "" : ` --verdict ${verdict}`;
  return [
    `${head}: each cuts ${(100 * cutShare).toFixed(2)} % off its own worse end; together they keep ${(100 * kept).toFixed(1)} %`,
    ...(reachable < wanted
      ? [`not reachable: the other filters (outcome, exit and the like) leave ${(100 * reachable).toFixed(1)} %`]
      : []),
    table(
      ["threshold", "now", "suggested"],
      limits.map(({ threshold, from, to }) => [threshold, from === null ? "off" : number(from), number(to)]),
    ),
    `${reachable < wanted ? "as near as they come" : "take them over"}: catgen run 5 --run ${run}${named} ${set}`,
  ].join("\n");
}

const section = (title: string, text: string): string => `\n${title}\n\n${text}`;
const curvesTitle = "Kept as one threshold moves (*: as it is)";
const bordersTitle = "At the border (look at one with: catgen show ID, or ID --fold N)";

/** What is asked for beside the summary. */
export interface AnalysisView {
  readonly all: boolean;
  readonly measures: boolean;
  /** Names of thresholds. */
  readonly thresholds: readonly string[];
}

const measuresText = ({ measures, counts }: Analysis): string =>
  [
    section("Measures", spreadTable(measures)),
    `\n${counts
      .map(
        ({ measure, counts: of }) =>
          `${measure}: ${Object.entries(of)
            .map(([value, count]) => `${value} ${count}`)
            .join(", ")}`,
      )
      .join("\n")}`,
  ].join("\n");

/** Curves and border cases of the thresholds that are asked for; nothing where none is. */
function thresholdsText({ curves, borders, measured }: Analysis, { all, thresholds }: AnalysisView): string[] {
  const asked = ({ threshold }: { readonly threshold: string }): boolean => all || thresholds.includes(threshold);
  const [moved, near] = [curves.filter(asked), borders.filter(asked)];
  return [
    ...(moved.length === 0 ? [] : [section(curvesTitle, moved.map((curve) => curveText(curve, measured)).join("\n\n"))]),
    ...(near.length === 0 ? [] : [section(bordersTitle, near.map(borderText).join("\n"))]),
  ];
}

/** What the summary leaves out, with how to see it. */
function moreText({ run, verdict, filters, measures, counts, curves }: Analysis): string {
  const [worst] = [...filters]
    .filter(({ threshold }) => curves.some((curve) => curve.threshold === threshold))
    .sort((a, b) => b.only - a.only);
  const command = `catgen analyze --run ${run}${verdict === "default" ? "" : ` --verdict ${verdict}`}`;
  const ways = [
    [`--threshold ${worst?.threshold ?? "NAME"}`, "what it would keep at other values, and the trajectories next to it"],
    ["--measures", `percentiles of all ${measures.length + counts.length} measures`],
    ["--suggest keep=0.4", "thresholds that keep 40 %"],
    ["--all", `the same for all ${curves.length} thresholds, and every measure`],
  ] as const;
  const width = Math.max(...ways.map(([option]) => option.length));
  return `\nmore: ${command} with\n${ways.map(([option, what]) => `  ${option.padEnd(width)}  ${what}`).join("\n")}`;
}

/** The analysis as a person reads it: a summary of one screen, and what is asked for beside it. */
export function analysisText(analysis: Analysis, view: AnalysisView): string {
  const { run, verdict, shards, measured, kept, pair, suggestion } = analysis;
  return [
    `run ${run}, verdict set ${verdict}: ${kept.trajectories} of ${measured.trajectories} measured trajectories are kept (${share(kept.trajectories, measured.trajectories)}), ${kept.segments} of ${measured.segments} segments`,
    ...(analysis.selection === null ? [] : [`as it was last run: ${selectionText(analysis.selection)}`]),
    ...(shards.missing > 0 ? [`${shards.missing} of ${shards.measured + shards.missing} shards are not measured yet and left out`] : []),
    ...(suggestion === null ? [] : [section("Suggestion", suggestionText(suggestion, run, verdict))]),
    ...(pair === null ? [] : [section("Trajectories kept as two thresholds move", pairText(pair))]),
    section("Filters", filtersText(analysis, view.all)),
    section("Filters that reject the same trajectories", overlapsText(analysis, view.all ? mostOverlaps.all : mostOverlaps.brief)),
    ...thresholdsText(analysis, view),
    ...(view.all || view.measures ? [measuresText(analysis)] : []),
    ...(view.all || view.measures || view.thresholds.length > 0 ? [] : [moreText(analysis)]),
    `\nplot: ${analysis.plot}`,
  ].join("\n");
}

function onlyText(keeps: string, drops: string, { kept, because, examples }: OnlyIn): string {
  if (kept.trajectories === 0) return `${keeps} keeps nothing that ${drops} does not`;
  return [
    `${keeps} keeps ${kept.segments} segments of ${kept.trajectories} trajectories that ${drops} does not, because of ${because.map(({ filter, trajectories }) => `${filter} (${trajectories})`).join(", ") || "nothing that stands in its rows"}`,
    ...examples.flatMap(({ id, why }) => [`  ${id}`, ...why.map((line) => `    ${line}`)]),
  ].join("\n");
}

export function diffText(diff: VerdictDiff): string {
  const [first, second] = diff.verdicts;
  return [
    `run ${diff.run}, ${diff.judged} trajectories: both ${first} and ${second} keep ${diff.both.trajectories} (${diff.both.segments} segments), neither ${diff.neither}`,
    ...(diff.recipe.length === 0 ? ["their filters are the same"] : diff.recipe.map((line) => `  ${line}`)),
    onlyText(first, second, diff.onlyFirst),
    onlyText(second, first, diff.onlySecond),
  ].join("\n");
}
