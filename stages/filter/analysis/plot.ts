import type { Curve } from "../../../schemas/analysis.ts";
import { at, drawing, label, short } from "../../lib/svg.ts";
import type { Gathered } from "./collect.ts";
import type { Threshold } from "./thresholds.ts";
import { curveOf } from "./what-if.ts";

const panel = { width: 280, height: 190, left: 44, right: 14, top: 34, bottom: 30 };
const perRow = 3;
/** Every second percentile: a curve of 51 points. */
const shares = Array.from({ length: 51 }, (_, index) => index / 50);

/** What is kept changes at values that occur, and nowhere between them: just above one for a `min` threshold, at the next for a `max`. */
function steps(values: Curve["values"], bound: Threshold["bound"]): { value: number; trajectories: number }[] {
  return values.flatMap(({ value, kept: { trajectories } }, index) => {
    const before = values[index - 1];
    if (before === undefined) return [{ value, trajectories }];
    const corner = bound === "min" ? { value: before.value, trajectories } : { value, trajectories: before.kept.trajectories };
    return [corner, { value, trajectories }];
  });
}

/** One threshold: share of the measured trajectories that are kept, over its value; the dashed line is the recipe's. */
function panelOf({ threshold, filter, limit, values }: Curve, bound: Threshold["bound"], measured: number): string {
  const title = label(panel.left, 16, threshold, 'font-size="13" fill="#111111"');
  const first = values[0]?.value ?? 0;
  const last = values.at(-1)?.value ?? 0;
  const inner = { width: panel.width - panel.left - panel.right, height: panel.height - panel.top - panel.bottom };
  const x = (value: number): number => panel.left + (last === first ? 0.5 : (value - first) / (last - first)) * inner.width;
  const y = (kept: number): number => panel.top + (1 - (measured === 0 ? 0 : kept / measured)) * inner.height;
  const points = steps(values, bound)
    .map(({ value, trajectories }) => `${at(x(value))},${at(y(trajectories))}`)
    .join(" ");
  const axis = [0, 0.5, 1].map(
    (share) =>
      `<line x1="${panel.left}" x2="${panel.width - panel.right}" y1="${at(y(share * measured))}" y2="${at(y(share * measured))}" stroke="#e6e6e6"/>${label(panel.left - 6, y(share * measured) + 4, `${100 * share} %`, 'text-anchor="end" font-size="10"')}`,
  );
  const now =
    limit === null
      ? label(panel.width - panel.right, 28, "off", 'text-anchor="end" font-size="10" fill="#888888"')
      : `<line x1="${at(x(limit))}" x2="${at(x(limit))}" y1="${panel.top}" y2="${panel.height - panel.bottom}" stroke="#d1242f" stroke-dasharray="4 3"/>${label(panel.width - panel.right, 28, `now ${short(limit)}`, 'text-anchor="end" font-size="10" fill="#d1242f"')}`;
  const ends =
    values.length === 0
      ? []
      : [
          label(panel.left, panel.height - 12, short(first), 'font-size="10"'),
          label(panel.width - panel.right, panel.height - 12, short(last), 'text-anchor="end" font-size="10"'),
        ];
  const line =
    first === last
      ? label(panel.left + 8, panel.height / 2, values.length === 0 ? "nothing to move" : `always ${short(first)}`, 'fill="#888888"')
      : `<polyline points="${points}" fill="none" stroke="#1f6feb" stroke-width="2"/>`;
  return [title, label(panel.left, 28, filter, 'font-size="10" fill="#888888"'), ...axis, ...ends, now, line].join("\n");
}

/** Rows kept as each threshold moves, one panel each. */
export function whatIfPlot(gathered: Gathered, run: string): string {
  const rows = Math.ceil(gathered.probes.length / perRow);
  const title = `${run}: trajectories kept as each threshold moves, of ${gathered.size} measured`;
  const panels = gathered.probes.map(
    (probe, index) =>
      `<g transform="translate(${(index % perRow) * panel.width} ${30 + Math.floor(index / perRow) * panel.height})">\n${panelOf(curveOf(gathered, probe, shares), probe.threshold.bound, gathered.size)}\n</g>`,
  );
  return drawing(perRow * panel.width, 34 + rows * panel.height, title, [label(16, 20, title, 'font-size="14" fill="#111111"'), ...panels]);
}
