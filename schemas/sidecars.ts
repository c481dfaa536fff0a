import { z } from "zod";
import { Span } from "./trajectory.ts";
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

/** A chosen cut. Steps [keptFrom, cut) stay verbatim behind the memory; `reason` is `window` when the cut was needed to fit. */
export const InsertionPoint = z.strictObject({ cut: Cut, keptFrom: Cut, reason: z.enum(["signals", "window"]) });
export type InsertionPoint = z.infer<typeof InsertionPoint>;

/** Stage 2. Candidates do not depend on how points are chosen, so that a changed chooser with equal points changes nothing downstream. */
export const Detection = z.strictObject({ candidates: z.array(Candidate), points: z.array(InsertionPoint) });
export type Detection = z.infer<typeof Detection>;

/** One context call: the thought before it and the memory it returns. Steps [previous keptFrom, keptFrom) are its fold. */
export const Block = z.strictObject({
  cut: Cut,
  keptFrom: Cut,
  thought: z.string(),
  memory: z.string().min(1),
  writer: Writer,
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
