import { z } from "zod";
import { FilterAction } from "./filter-action.ts";
import { SetRule } from "./selection.ts";

const Count = z.int().nonnegative();

/** What is kept: trajectories that give segments, and those segments. */
export const Yield = z.strictObject({ trajectories: Count, segments: Count });
export type Yield = z.infer<typeof Yield>;

/** One numeric measure over everything that has it. `missing`: it cannot be known there. Percentiles are values that occur (nearest rank). */
export const MeasureSpread = z.strictObject({
  /** Path in the metrics, e.g. `blocks.foldRatio`: the first part says of what there is one number each. */
  measure: z.string(),
  count: Count,
  missing: Count,
  mean: z.number(),
  min: z.number(),
  p1: z.number(),
  p5: z.number(),
  p25: z.number(),
  p50: z.number(),
  p75: z.number(),
  p95: z.number(),
  p99: z.number(),
  max: z.number(),
});
export type MeasureSpread = z.infer<typeof MeasureSpread>;

/** A measure that is no number: how many trajectories have which value. */
export const MeasureCounts = z.strictObject({ measure: z.string(), counts: z.record(z.string(), Count) });
export type MeasureCounts = z.infer<typeof MeasureCounts>;

export const FilterReport = z.strictObject({
  filter: z.string(),
  /** Threshold of the recipe; null: always on. */
  threshold: z.string().nullable(),
  action: FilterAction,
  /** Trajectories in which it fails, whatever comes of it. */
  fails: Count,
  /** Those of which it rejects segments, or everything. */
  rejects: Count,
  /** Those that nothing else rejects: they come back when it is switched off. */
  only: Count,
  /** Those in which it fails and the last call is dropped. */
  dropsLast: Count,
});
export type FilterReport = z.infer<typeof FilterReport>;

/** Two filters that reject the same trajectories. `only`: nothing but these two does, so that switching both off brings them back. */
export const Overlap = z.strictObject({ filters: z.tuple([z.string(), z.string()]), together: Count, only: Count });
export type Overlap = z.infer<typeof Overlap>;

/** What would be kept as one threshold moves and all else stays. `values` are those that occur, at percentiles, and the recipe's own. */
export const Curve = z.strictObject({
  threshold: z.string(),
  filter: z.string(),
  /** As in the recipe; null: off. */
  limit: z.number().nullable(),
  values: z.array(z.strictObject({ value: z.number(), kept: Yield })),
});
export type Curve = z.infer<typeof Curve>;

/** Trajectories kept as two thresholds move together: `kept[row][column]`, rows by the first. */
export const PairGrid = z.strictObject({
  thresholds: z.tuple([z.string(), z.string()]),
  rows: z.array(z.number()),
  columns: z.array(z.number()),
  kept: z.array(z.array(Count)),
});
export type PairGrid = z.infer<typeof PairGrid>;

/** `call`: the context call that the value is of, counted from 1; null: it is of the whole run. `evidence`: lines for a person, of the data's own words. */
export const BorderCase = z.strictObject({
  id: z.string(),
  value: z.number(),
  call: z.int().positive().nullable(),
  evidence: z.array(z.string()),
});
export type BorderCase = z.infer<typeof BorderCase>;

/** The trajectories nearest to a threshold on either side, nearest first. */
export const Border = z.strictObject({
  threshold: z.string(),
  limit: z.number(),
  passes: z.array(BorderCase),
  fails: z.array(BorderCase),
});
export type Border = z.infer<typeof Border>;

/** Thresholds for a wanted yield: every one that is on cuts the same share off its own worse end. */
export const Suggestion = z.strictObject({
  /** Share of the measured trajectories that should give segments, and the one that these thresholds keep. */
  wanted: z.number(),
  kept: z.number(),
  /** What the filters without a movable threshold leave: no choice of thresholds keeps more. */
  reachable: z.number(),
  /** Share that each threshold cuts off by itself. */
  cutShare: z.number(),
  limits: z.array(z.strictObject({ threshold: z.string(), from: z.number().nullable(), to: z.number() })),
});
export type Suggestion = z.infer<typeof Suggestion>;

/** The set-level pass in numbers of trajectories. */
export const SelectionSummary = z.strictObject({
  /** Of which the verdicts keep at least one sample of an exported kind. */
  candidates: Count,
  selected: Count,
  /** Of the selected: those whose samples show no context call. */
  withoutCalls: Count,
  leftOut: z.array(z.strictObject({ rule: SetRule, trajectories: Count })),
});
export type SelectionSummary = z.infer<typeof SelectionSummary>;

/** `catgen analyze --json`: a contract (DESIGN 6). */
export const Analysis = z.strictObject({
  run: z.string(),
  verdict: z.string(),
  /** Shards without metrics are left out of everything below. */
  shards: z.strictObject({ measured: Count, missing: Count }),
  measured: Yield,
  kept: Yield,
  measures: z.array(MeasureSpread),
  counts: z.array(MeasureCounts),
  filters: z.array(FilterReport),
  overlaps: z.array(Overlap),
  curves: z.array(Curve),
  borders: z.array(Border),
  pair: PairGrid.nullable(),
  suggestion: Suggestion.nullable(),
  /** What was selected when the set was last selected, whatever thresholds are tried here; null: it never was. */
  selection: SelectionSummary.nullable(),
  /** Where the plot was written. */
  plot: z.string(),
});
export type Analysis = z.infer<typeof Analysis>;

/** What one verdict set keeps and the other does not, and which filters of the other are the cause. */
export const OnlyIn = z.strictObject({
  kept: Yield,
  because: z.array(z.strictObject({ filter: z.string(), trajectories: Count })),
  examples: z.array(z.strictObject({ id: z.string(), why: z.array(z.string()) })),
});
export type OnlyIn = z.infer<typeof OnlyIn>;

/** `catgen analyze --diff A B --json`: a contract. */
export const VerdictDiff = z.strictObject({
  run: z.string(),
  verdicts: z.tuple([z.string(), z.string()]),
  /** What differs between the filter recipes of the two, as sentences. */
  recipe: z.array(z.string()),
  judged: Count,
  both: Yield,
  neither: Count,
  onlyFirst: OnlyIn,
  onlySecond: OnlyIn,
});
export type VerdictDiff = z.infer<typeof VerdictDiff>;
