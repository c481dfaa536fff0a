import { z } from "zod";
import { ContaminationCount } from "./contamination.ts";
import { SetRule } from "./selection.ts";

const Count = z.int().nonnegative();

/** Trajectories, and segments of them. */
const Pair = z.strictObject({ trajectories: Count, segments: Count });
const Flow = z.strictObject({ in: Pair, kept: Pair });
export type Flow = z.infer<typeof Flow>;

const Money = z.strictObject({ amount: z.number().nonnegative(), currency: z.string() });

/** What judging and the selection of the set let through and where the rest was lost. A trajectory is kept when it gives segments. */
export const Funnel = z.strictObject({
  total: Flow,
  /**
   * In the order of the registry. `lost`: by the first filter that rejects, so that `in` less all of `lost`, here and in `bySetRule`, is `kept` (of two segments merged
   * by a dropped call one is lost). `rejects`: trajectories in which it rejects something; `only`: in which nothing else does; `flags`: in which it only flags.
   */
  byFilter: z.array(z.strictObject({ filter: z.string(), lost: Pair, rejects: Count, only: Count, flags: Count })),
  /**
   * Rules over the whole set that leave something out, in their order; empty: they leave nothing out, or nothing is selected yet. `leftOut`: trajectories, those that give no segments but other
   * samples included; `lost` goes on where the filters end.
   */
  bySetRule: z.array(z.strictObject({ rule: SetRule, lost: Pair, leftOut: Count })),
  /** By the first part of the id. */
  bySource: z.record(z.string(), Flow),
  /** `resolved`, `unresolved`, `unknown`. */
  byOutcome: z.record(z.string(), Flow),
  /** Samples of all kinds that the verdicts keep, less what the set leaves out. */
  keptSamples: Count,
  /** What the run's ledger says: attempts sent to the model, and tokens and money billed for them, for whatever they were made. */
  spent: z.strictObject({ calls: Count, tokensIn: Count, tokensOut: Count, cost: Money.nullable() }),
  /** The same divided among the kept samples; null where none is kept, or nothing has a price. */
  perKeptSample: z.strictObject({ tokens: z.number().nonnegative().nullable(), cost: Money.nullable() }),
  /** What of all this belongs to sets that models are evaluated on, and whether it was kept. */
  contamination: ContaminationCount,
});
export type Funnel = z.infer<typeof Funnel>;
export type Spent = Funnel["spent"];
