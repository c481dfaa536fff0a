import { z } from "zod";
import { TrajectoryId } from "./trajectory.ts";

export const SampleKind = z.enum(["segment", "condense", "base"]);
export type SampleKind = z.infer<typeof SampleKind>;

/** One chat turn as text. `train`: this turn carries loss (assistant turns only). `step`: base step it renders, -1 for anything else. */
export const Turn = z.strictObject({
  role: z.enum(["system", "user", "assistant"]),
  content: z.string(),
  train: z.boolean(),
  step: z.int().min(-1),
});
export type Turn = z.infer<typeof Turn>;

/** A rendered sample. Never stored between stages: it lives only in the Parquet. */
export const Sample = z.strictObject({
  /** `<trajectory id>#<kind><index>`. */
  id: z.string(),
  trajectory: TrajectoryId,
  kind: SampleKind,
  index: z.int().nonnegative(),
  /** How many samples of this kind the trajectory has before judging. */
  count: z.int().positive(),
  turns: z.array(Turn).min(2),
});
export type Sample = z.infer<typeof Sample>;

/** Facts about a sample that the layouts write as `cat_*` columns. */
export const SampleFacts = z.strictObject({
  instance: z.string().nullable(),
  source: z.string(),
  resolved: z.boolean().nullable(),
  licence: z.string().nullable(),
  /** JSON array of the tool schemas that the system turn describes. */
  toolsJson: z.string(),
  callStyle: z.string(),
  /** Chat tokens of the whole sample, the template's default system prompt included. */
  tokens: z.int().nonnegative(),
  /** Tokens that carry loss: content and `<|im_end|>` of the trained turns. */
  trainedTokens: z.int().nonnegative(),
  /** Further facts as JSON text with sorted keys: writers of the memories, persona, source call style, exit, marks. */
  metaJson: z.string().nullable(),
});
export type SampleFacts = z.infer<typeof SampleFacts>;
