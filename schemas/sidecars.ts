import { z } from "zod";
import { Findings } from "./finding.ts";
import { Digest, Span } from "./trajectory.ts";
import { Writer } from "./writer.ts";

export { Writer };

const Cut = z.int().positive();
const Index = z.int().nonnegative();

/** One signal at one cut: 0..1 with what a person can check it by. */
export const SignalScore = z.strictObject({
  signal: z.string(),
  score: z.number().min(0).max(1),
  evidence: z.array(z.string()),
});
export type SignalScore = z.infer<typeof SignalScore>;

/** A legal cut that at least one signal speaks for. `cut` = number of steps before it, 0 < cut < steps. */
export const Candidate = z.strictObject({ cut: Cut, score: z.number().min(0).max(1), signals: z.array(SignalScore).min(1) });
export type Candidate = z.infer<typeof Candidate>;

/**
 * A chosen cut. Steps [keptFrom, cut) stay verbatim behind the memory. `reason`: `signals` when its score is worth the price of a call,
 * `window` when it is not but the steps would not fit without, `cost` when it only makes inference cheaper.
 */
export const InsertionPoint = z.strictObject({ cut: Cut, keptFrom: Cut, reason: z.enum(["signals", "window", "cost"]) });
export type InsertionPoint = z.infer<typeof InsertionPoint>;

/** Why a point was chosen, in numbers. */
export const PointReport = z.strictObject({
  cut: Cut,
  /** Without this call alone the steps would not fit. */
  needed: z.boolean(),
  /** Nearer to the call before, or over a smaller fold, than asked for: nothing else fitted. */
  crowded: z.boolean(),
  /** What the whole trajectory would cost without this call, minus what it costs with it; uncached prompt tokens, negative: a loss. */
  savesTokens: z.number(),
  /** The best other place for this call alone, and the objective lost there; null: none fits as well. */
  replacement: z.strictObject({ cut: Cut, loss: z.number() }).nullable(),
});
export type PointReport = z.infer<typeof PointReport>;

const Limit = z.number().nonnegative().nullable();

/** The placement as a whole. Costs in units of one uncached prompt token, for the whole trajectory; objective as in recipe `detect`. */
export const PlacementReport = z.strictObject({
  objective: z.number(),
  costTokens: z.number().nonnegative(),
  /** The same without any call, whether it fits or not. */
  appendOnlyCostTokens: z.number().nonnegative(),
  points: z.array(PointReport),
  /** The best rule that sees only the past, and how far it stays behind; null: none of the family keeps within the window as well. */
  pastOnly: z
    .strictObject({
      /** Calls when the cut's score, or the share of the window that is taken, reaches these. */
      minScore: Limit,
      occupancy: Limit,
      calls: Index,
      objective: z.number(),
      regret: z.number().nonnegative(),
    })
    .nullable(),
});
export type PlacementReport = z.infer<typeof PlacementReport>;

/** Stage 2. Candidates do not depend on how points are chosen. */
export const Detection = z.strictObject({
  candidates: z.array(Candidate),
  points: z.array(InsertionPoint),
  placement: PlacementReport,
});
export type Detection = z.infer<typeof Detection>;

/** A second opinion on a memory: statements that nothing before the cut supports, by a model that was asked apart; or why there is none. */
export const Judged = z.union([
  z.strictObject({
    model: z.string(),
    /** Digest of the request; with the same endpoint settings it finds the reply in the cache. */
    request: Digest,
    findings: Findings,
    /** All of them; `findings` shows the first. */
    found: Index,
  }),
  z.strictObject({ why: z.string() }),
]);
export type Judged = z.infer<typeof Judged>;

/** One context call: the thought before it and the memory it returns. Steps [previous keptFrom, keptFrom) are its fold. */
export const Block = z.strictObject({
  cut: Cut,
  keptFrom: Cut,
  thought: z.string(),
  memory: z.string().min(1),
  writer: Writer,
  /** null: not asked for (`condense.judge`). No sample shows it. */
  judged: Judged.nullable(),
});
export type Block = z.infer<typeof Block>;

/** Stage 3. Blocks in order of `cut`. */
export const Memory = z.strictObject({ blocks: z.array(Block) });
export type Memory = z.infer<typeof Memory>;

/**
 * A sample as pointers. Shown, untrained: the task, block `opens`, the steps `recent`. Trained: the steps `target`, then the call of block `closes`.
 * Example T = 12, cuts 5 and 9, k = 2: the second is { opens: 0, recent: [3, 5), target: [5, 9), closes: 1 }.
 */
export const Segment = z.strictObject({
  opens: Index.nullable(),
  recent: Span.nullable(),
  target: Span,
  closes: Index.nullable(),
});
export type Segment = z.infer<typeof Segment>;

/** The condenser's own sample: what it was asked (previous block, fold, recent steps read-only) and the memory of block `target`. */
export const Condensation = z.strictObject({ opens: Index.nullable(), folds: Span, recent: Span.nullable(), target: Index });
export type Condensation = z.infer<typeof Condensation>;

/** Stage 4. `segments` has one entry more than there are blocks; `condensations` has one per block. */
export const Workspace = z.strictObject({ segments: z.array(Segment).min(1), condensations: z.array(Condensation) });
export type Workspace = z.infer<typeof Workspace>;
