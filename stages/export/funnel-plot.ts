import type { Funnel } from "../../schemas/funnel.ts";
import { at, drawing, label } from "../lib/svg.ts";
import { grouped } from "./number-text.ts";

const size = { width: 860, left: 190, right: 150, row: 34, top: 44 };
const colours = { trajectories: "#1f6feb", segments: "#8bb8f8" };

/** What is left after each filter that loses something, as bars: trajectories above, segments below. */
export function funnelPlot({ total, byFilter, bySetRule }: Funnel): string {
  const left = { ...total.in };
  const bars = [{ name: "measured", ...left }];
  const losses = [
    ...byFilter.map(({ filter, lost }) => ({ name: filter, lost })),
    ...bySetRule.map(({ rule, lost }) => ({ name: `set: ${rule}`, lost })),
  ];
  for (const { name, lost } of losses) {
    if (lost.trajectories + lost.segments === 0) continue;
    left.trajectories -= lost.trajectories;
    left.segments -= lost.segments;
    bars.push({ name, ...left });
  }
  const inner = size.width - size.left - size.right;
  const width = (count: number, of: number): number => (of === 0 ? 0 : (inner * count) / of);
  const rows = bars.map(({ name, trajectories, segments }, index) => {
    const y = size.top + index * size.row;
    return [
      label(size.left - 10, y + 18, name, 'text-anchor="end"'),
      `<rect x="${size.left}" y="${at(y)}" width="${at(width(trajectories, total.in.trajectories))}" height="15" fill="${colours.trajectories}"/>`,
      `<rect x="${size.left}" y="${at(y + 15)}" width="${at(width(segments, total.in.segments))}" height="9" fill="${colours.segments}"/>`,
      label(size.width - size.right + 10, y + 11, `${grouped(trajectories)} trajectories`, 'fill="#111111"'),
      label(size.width - size.right + 10, y + 25, `${grouped(segments)} segments`, 'font-size="10"'),
    ].join("\n");
  });
  const title = "What is left after each filter";
  return drawing(size.width, size.top + bars.length * size.row + 10, title, [
    label(16, 24, title, 'font-size="14" fill="#111111"'),
    ...rows,
  ]);
}
