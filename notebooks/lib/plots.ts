import { at, drawing, label, short } from "../../stages/lib/svg.ts";

/** The drawings of the notebooks. Equal data are equal bytes. */

const width = 860;
const box = { left: 60, right: 150, top: 44, bottom: 44 };
export const colours = { blue: "#1f6feb", grey: "#9a9a9a", red: "#d1242f", amber: "#bf8700", violet: "#8250df" } as const;

/** Multiples of 1, 2 or 5 times a power of ten, from 0 to at most `most`: about five of them. */
export function ticksUpTo(most: number): number[] {
  if (!(most > 0)) return [0];
  const unit = 10 ** Math.floor(Math.log10(most / 5));
  const step = [1, 2, 5, 10].map((times) => times * unit).find((size) => most / size <= 6) ?? most;
  return Array.from({ length: Math.floor(most / step + 1e-9) + 1 }, (_, index) => Number((index * step).toPrecision(12)));
}

/** The largest of any number of values, and of `least`. */
export const largest = (values: readonly number[], least: number): number => values.reduce((most, value) => Math.max(most, value), least);

interface Scale {
  readonly x: (value: number) => number;
  readonly y: (value: number) => number;
}

interface Axes {
  readonly title: string;
  readonly height: number;
  readonly mostX: number;
  readonly mostY: number;
  readonly nameX: string;
}

/** Axes from 0, and what is drawn between them. */
function chart({ title, height, mostX, mostY, nameX }: Axes, draw: (scale: Scale) => readonly string[]): string {
  const scale: Scale = {
    x: (value) => box.left + ((width - box.left - box.right) * value) / (mostX || 1),
    y: (value) => height - box.bottom - ((height - box.top - box.bottom) * value) / (mostY || 1),
  };
  const lines = ticksUpTo(mostY).map(
    (value) =>
      `<line x1="${box.left}" x2="${width - box.right}" y1="${at(scale.y(value))}" y2="${at(scale.y(value))}" stroke="#e6e6e6"/>${label(box.left - 8, scale.y(value) + 4, short(value), 'text-anchor="end"')}`,
  );
  return drawing(width, height, title, [
    label(box.left, 24, title, 'font-size="14" fill="#111111"'),
    ...lines,
    ...ticksUpTo(mostX).map((value) => label(scale.x(value), height - box.bottom + 18, short(value), 'text-anchor="middle"')),
    label((box.left + width - box.right) / 2, height - 8, nameX, 'text-anchor="middle"'),
    ...draw(scale),
  ]);
}

/** A line is y over 0, 1, 2, ...; its `name` stands at its end, a note under it. */
export interface Line {
  readonly name: string;
  readonly note: string;
  readonly colour: string;
  readonly dashed: boolean;
  readonly values: readonly number[];
}

/** Lines over the same axes; `limit` is drawn across, where there is one within reach. */
export function lineChart(
  title: string,
  nameX: string,
  all: readonly Line[],
  limit: { name: string; value: number } | null = null,
): string {
  const mostX = largest(
    all.map(({ values }) => values.length - 1),
    1,
  );
  const mostY =
    largest(
      all.flatMap(({ values }) => values),
      1,
    ) * 1.05;
  return chart({ title, height: 340, mostX, mostY, nameX }, ({ x, y }) => [
    ...all.map(
      ({ values, colour, dashed }) =>
        `<polyline points="${values.map((value, index) => `${at(x(index))},${at(y(value))}`).join(" ")}" fill="none" stroke="${colour}" stroke-width="2" stroke-linejoin="round"${dashed ? ' stroke-dasharray="5 4"' : ""}/>`,
    ),
    ...all.flatMap(({ name, note, colour, values }) => {
      const [right, down] = [x(values.length - 1) + 8, y(values.at(-1) ?? 0)];
      return [label(right, down + 4, name, `fill="${colour}"`), label(right, down + 19, note, 'font-size="10"')];
    }),
    ...(limit === null || limit.value > mostY
      ? []
      : [
          `<line x1="${box.left}" x2="${width - box.right}" y1="${at(y(limit.value))}" y2="${at(y(limit.value))}" stroke="${colours.red}" stroke-dasharray="4 3"/>`,
          label(width - box.right + 8, y(limit.value) + 4, limit.name, `fill="${colours.red}"`),
        ]),
  ]);
}

/** How many values lie in each of `bins` equal parts of 0 .. their largest. */
export function histogram(title: string, nameX: string, values: readonly number[], bins = 24): string {
  const most = largest(values, 1);
  const counts = Array.from({ length: bins }, () => 0);
  for (const value of values) {
    const bin = Math.min(bins - 1, Math.floor((value / most) * bins));
    counts[bin] = (counts[bin] ?? 0) + 1;
  }
  return chart({ title, height: 240, mostX: most, mostY: largest(counts, 1) * 1.05, nameX }, ({ x, y }) =>
    counts.flatMap((count, bin) => {
      const [left, right] = [x((most * bin) / bins), x((most * (bin + 1)) / bins)];
      return count === 0
        ? []
        : [
            `<rect x="${at(left)}" y="${at(y(count))}" width="${at(right - left - 1)}" height="${at(y(0) - y(count))}" fill="${colours.blue}"/>`,
          ];
    }),
  );
}

const row = { left: 250, height: 18, top: 50 };

export interface Course {
  readonly name: string;
  readonly length: number;
  readonly marks: readonly { readonly at: number; readonly colour: string }[];
}

/** One bar per course, with marks along it. */
export function timeline(title: string, nameX: string, courses: readonly Course[], legend: Readonly<Record<string, string>>): string {
  const most = largest(
    courses.map(({ length }) => length),
    1,
  );
  const x = (value: number): number => row.left + ((width - row.left - 20) * value) / most;
  const bottom = row.top + courses.length * row.height;
  return drawing(width, bottom + 40, title, [
    label(16, 24, title, 'font-size="14" fill="#111111"'),
    ...Object.entries(legend).map(([name, colour], index) => label(row.left + index * 110, 42, name, `fill="${colour}"`)),
    ...courses.flatMap(({ name, length, marks }, index) => {
      const y = row.top + index * row.height;
      return [
        label(row.left - 8, y + 12, name, 'text-anchor="end" font-size="10"'),
        `<rect x="${row.left}" y="${y + 3}" width="${at(x(length) - row.left)}" height="12" fill="#dddddd"/>`,
        ...marks.map((mark) => `<rect x="${at(x(mark.at) - 1.5)}" y="${y + 1}" width="3" height="16" fill="${mark.colour}"/>`),
      ];
    }),
    ...ticksUpTo(most).map((value) => label(x(value), bottom + 16, short(value), 'text-anchor="middle"')),
    label((row.left + width) / 2, bottom + 34, nameX, 'text-anchor="middle"'),
  ]);
}

/** Dots in rows, one row per group, over 0 .. `most`; `limit` is drawn across. */
export function dots(title: string, nameX: string, groups: Readonly<Record<string, readonly number[]>>, limit: number): string {
  const most = largest(Object.values(groups).flat(), limit) * 1.1 || 1;
  const x = (value: number): number => 90 + ((width - 110) * value) / most;
  const bottom = 40 + Object.keys(groups).length * 26;
  return drawing(width, bottom + 40, title, [
    label(16, 24, title, 'font-size="14" fill="#111111"'),
    ...Object.entries(groups).flatMap(([name, values], index) => [
      label(80, 57 + index * 26, name, 'text-anchor="end"'),
      ...values.map((value) => `<circle cx="${at(x(value))}" cy="${53 + index * 26}" r="5" fill="${colours.blue}" fill-opacity="0.5"/>`),
    ]),
    `<line x1="${at(x(limit))}" x2="${at(x(limit))}" y1="36" y2="${bottom}" stroke="${colours.red}" stroke-dasharray="4 3"/>`,
    ...ticksUpTo(most).map((value) => label(x(value), bottom + 16, short(value), 'text-anchor="middle"')),
    label((90 + width) / 2, bottom + 34, nameX, 'text-anchor="middle"'),
  ]);
}

export interface Grid {
  readonly rows: { readonly name: string; readonly values: readonly number[]; readonly now: number | null };
  readonly columns: { readonly name: string; readonly values: readonly number[]; readonly now: number | null };
  /** `cells[row][column]`, 0 .. most. */
  readonly cells: readonly (readonly number[])[];
  readonly most: number;
}

/** Numbers as shades; the row and column that are now have their values in red. */
export function heatMap(title: string, { rows, columns, cells, most }: Grid): string {
  const [wide, high, left, top] = [70, 26, 150, 74];
  const tint = (value: number, now: number | null): string => (value === now ? `fill="${colours.red}"` : "");
  return drawing(left + columns.values.length * wide + 20, top + rows.values.length * high + 16, title, [
    label(16, 24, title, 'font-size="14" fill="#111111"'),
    label(left, 46, columns.name, 'font-size="10" fill="#111111"'),
    label(16, top - 8, rows.name, 'font-size="10" fill="#111111"'),
    ...columns.values.map((value, column) =>
      label(left + (column + 0.5) * wide, top - 8, short(value), `text-anchor="middle" ${tint(value, columns.now)}`),
    ),
    ...rows.values.flatMap((value, index) => [
      label(left - 8, top + index * high + 17, short(value), `text-anchor="end" ${tint(value, rows.now)}`),
      ...(cells[index] ?? []).flatMap((kept, column) => [
        `<rect x="${left + column * wide}" y="${top + index * high}" width="${wide - 2}" height="${high - 2}" fill="${colours.blue}" fill-opacity="${at((10 * kept) / (most || 1)) === "0" ? "0.04" : ((0.9 * kept) / (most || 1)).toFixed(2)}"/>`,
        label(left + (column + 0.5) * wide, top + index * high + 17, String(kept), 'text-anchor="middle" fill="#111111"'),
      ]),
    ]),
  ]);
}
