import type { MixtureName } from "../../schemas/recipe/export.ts";
import type { SampleKind } from "../../schemas/sample.ts";
import type { Stats } from "../../schemas/stats.ts";
import type { LayoutName } from "./layouts/index.ts";
import type { SplitName } from "./split.ts";

/** One Parquet dataset of the export: its files are `<layout>/<kind>/<split>-*.parquet`. Only splits that have rows are named. */
export interface DatasetPart {
  readonly layout: LayoutName;
  readonly kind: SampleKind;
  readonly splits: readonly SplitName[];
}

/** A named choice of parts as `datasets` knows it. */
export interface DatasetConfig {
  readonly name: string;
  readonly data: readonly { readonly split: SplitName; readonly paths: readonly string[] }[];
}

const splitNames: readonly SplitName[] = ["train", "validation"];

const configOf = (name: string, parts: readonly DatasetPart[], folderOf: (part: DatasetPart) => string): DatasetConfig => ({
  name,
  data: splitNames.flatMap((split) => {
    const paths = parts.filter((part) => part.splits.includes(split)).map((part) => `${folderOf(part)}/${split}-*.parquet`);
    return paths.length === 0 ? [] : [{ split, paths }];
  }),
});

/** `<layout>-<kind>` for every part, paths from the top folder. */
export const partConfigs = (parts: readonly DatasetPart[]): DatasetConfig[] =>
  parts.map((part) => configOf(`${part.layout}-${part.kind}`, [part], ({ layout, kind }) => `${layout}/${kind}`));

/**
 * What one model is trained on: CAT's own samples and the condenser's (one model plays both parts), or the ReAct baseline's; or whole
 * trajectories, or single model calls, in place of segments; or CAT's and the baseline's in one training.
 */
export const mixtures = {
  cat: ["segment", "condense"],
  base: ["base"],
  flat: ["flat"],
  step: ["step", "condense"],
  "cat-base": ["segment", "condense", "base"],
} as const satisfies Record<MixtureName, readonly SampleKind[]>;

/** Mixtures of what other mixtures hold apart. */
const combined: ReadonlySet<MixtureName> = new Set(["cat-base"]);

export interface Mixture {
  readonly name: MixtureName;
  readonly parts: readonly DatasetPart[];
}

/** Those of the wanted mixtures that have something to train on in a layout, in the order in which they are wanted. */
export function mixturesOf(parts: readonly DatasetPart[], layout: string, wanted: readonly MixtureName[]): Mixture[] {
  return [...new Set(wanted)].flatMap((name) => {
    const kinds: readonly SampleKind[] = mixtures[name];
    const own = parts.filter((part) => part.layout === layout && kinds.includes(part.kind));
    const named = own.some((part) => part.kind === kinds[0]); // `condense` alone is part of `cat`, not of `step`
    return (named || name === "cat" || combined.has(name)) && own.some((part) => part.splits.includes("train"))
      ? [{ name, parts: own }]
      : [];
  });
}

/** Mixtures as configs of the layout's own folder, for trainers that take one dataset only. */
export const mixtureConfigs = (parts: readonly DatasetPart[], layout: LayoutName, wanted: readonly MixtureName[]): DatasetConfig[] =>
  mixturesOf(parts, layout, wanted).map((mixture) => configOf(mixture.name, mixture.parts, ({ kind }) => kind));

/**
 * `<layout>-<mixture>` for mixtures of what others hold apart, paths from the top folder: whoever wants such a mixture wants to load it as
 * one dataset, wherever it lies. First of all configurations, so that it is what loads unless another is named.
 */
export const combinedConfigs = (parts: readonly DatasetPart[], wanted: readonly MixtureName[]): DatasetConfig[] =>
  [...new Set(parts.map(({ layout }) => layout))].flatMap((layout) =>
    mixturesOf(parts, layout, wanted)
      .filter(({ name }) => combined.has(name))
      .map(({ name, parts: own }) => configOf(`${layout}-${name}`, own, ({ kind }) => `${layout}/${kind}`)),
  );

/** Samples in each mixture. `turns` has several rows of a sample, so another layout is counted where there is one. */
export function mixtureCounts(
  sizes: readonly { readonly layout: LayoutName; readonly kind: SampleKind; readonly split: SplitName; readonly rows: number }[],
  wanted: readonly MixtureName[],
): NonNullable<Stats["mixtures"]> {
  const layout = (sizes.find((size) => size.layout !== "turns") ?? sizes[0])?.layout;
  const own = sizes.filter((size) => size.layout === layout);
  const parts = own.map(({ kind, split }) => ({ layout: layout ?? "messages", kind, splits: [split] }));
  return mixturesOf(parts, layout ?? "messages", wanted).map(({ name, parts: mixed }) => {
    const kinds = [...new Set(mixed.map(({ kind }) => kind))];
    const rows = (kind: SampleKind, split: SplitName): number =>
      own.reduce((sum, size) => sum + (size.kind === kind && size.split === split ? size.rows : 0), 0);
    return { name, samples: kinds.map((kind) => ({ kind, train: rows(kind, "train"), validation: rows(kind, "validation") })) };
  });
}

export const hasSplit = (parts: readonly DatasetPart[], split: SplitName): boolean => parts.some((part) => part.splits.includes(split));
