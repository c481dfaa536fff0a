import { z } from "zod";
import { TrajectoryId } from "./trajectory.ts";

export const SampleKind = z.enum(["segment", "condense", "base", "flat", "step"]);
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

/** A call with an id that is its own within the sample: the source's where it has one that no other call of the sample bears. */
export const SaidCall = z.strictObject({ id: z.string(), name: z.string(), arguments: z.string() });
export type SaidCall = z.infer<typeof SaidCall>;

/**
 * One message as the chat API knows it, before any call style turns it into text. `callId`: the call that a tool message answers, else null.
 * `train` and `step` as in `Turn`.
 */
export const Said = z.strictObject({
  role: z.enum(["system", "user", "assistant", "tool"]),
  content: z.string(),
  calls: z.array(SaidCall),
  callId: z.string().nullable(),
  train: z.boolean(),
  step: z.int().min(-1),
});
export type Said = z.infer<typeof Said>;

/** A sample as the layouts get it. `said`: the same as `sample.turns`, structured; null where no layout asks for it. */
export interface ExportedSample {
  readonly sample: Sample;
  readonly facts: SampleFacts;
  readonly said: readonly Said[] | null;
}
