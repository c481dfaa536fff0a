import type { SampleKind } from "../../schemas/sample.ts";
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
 * trajectories, or single model calls, in place of segments.
 */
export const mixtures = {
  cat: ["segment", "condense"],
  base: ["base"],
  flat: ["flat"],
  step: ["step", "condense"],
} as const satisfies Record<string, readonly SampleKind[]>;
export type MixtureName = keyof typeof mixtures;

export interface Mixture {
  readonly name: MixtureName;
  readonly parts: readonly DatasetPart[];
}

/** Mixtures of a layout that have something to train on. */
export function mixturesOf(parts: readonly DatasetPart[], layout: string): Mixture[] {
  const names = Object.keys(mixtures) as MixtureName[];
  return names.flatMap((name) => {
    const kinds: readonly SampleKind[] = mixtures[name];
    const own = parts.filter((part) => part.layout === layout && kinds.includes(part.kind));
    const named = own.some((part) => part.kind === kinds[0]); // `condense` alone is part of `cat`, not of `step`
    return (named || name === "cat") && own.some((part) => part.splits.includes("train")) ? [{ name, parts: own }] : [];
  });
}

/** Mixtures as configs of the layout's own folder, for trainers that take one dataset only. */
export const mixtureConfigs = (parts: readonly DatasetPart[], layout: LayoutName): DatasetConfig[] =>
  mixturesOf(parts, layout).map((mixture) => configOf(mixture.name, mixture.parts, ({ kind }) => kind));

export const hasSplit = (parts: readonly DatasetPart[], split: SplitName): boolean => parts.some((part) => part.splits.includes(split));
