import { z } from "zod";
import { ReplyTransport } from "./completion.ts";

const Count = z.int().nonnegative();

/** One request of a wave: what an offline batch was asked. Lies in `<run>/batches/NNNNN.jsonl`; its results come back under `id`. */
export const BatchEntry = z.strictObject({
  /** `custom_id` in the file: the wave and half of the key, so that results of another wave or run are never taken for this one's. */
  id: z.string(),
  /** Of the reply cache. */
  key: z.string(),
  label: z.string(),
  /** The model asked, and by what means the reply gets its form. */
  model: z.string(),
  transport: ReplyTransport,
  /** The reply was to be an object, so that a good result tells that `transport` works; thoughts are asked for in words anyhow. */
  structured: z.boolean(),
  /** Native calls may come back. */
  withTools: z.boolean(),
  /** Our count of the prompt, where the server does not say its own. */
  promptTokens: Count,
});
export type BatchEntry = z.infer<typeof BatchEntry>;

/** How a request of a wave ended. `refused`: the server will never answer it; `failed`: asked again by the next wave. */
export const BatchSettled = z.strictObject({ id: z.string(), key: z.string(), outcome: z.enum(["answered", "refused", "failed"]) });
export type BatchSettled = z.infer<typeof BatchSettled>;

/** `catgen batch write --json`. */
export const BatchWritten = z.strictObject({
  run: z.string(),
  /** null: there was nothing left to ask, and no file was written. */
  file: z.string().nullable(),
  /** 1 for the first. */
  wave: Count,
  requests: Count,
  bytes: Count,
  /** Prompt tokens by our count, and the most that the replies may take. */
  tokensIn: Count,
  mostTokensOut: Count,
  /** Records of stage 3: done, and waiting for results. */
  done: Count,
  waiting: Count,
  failed: z.array(z.strictObject({ id: z.string(), code: z.string(), message: z.string() })),
});
export type BatchWritten = z.infer<typeof BatchWritten>;

/** `catgen batch read --json`. */
export const BatchRead = z.strictObject({
  run: z.string(),
  answered: Count,
  refused: Count,
  failed: Count,
  /** Results that an earlier `read` has taken in already. */
  known: Count,
  /** Requests of all waves without a result so far. */
  open: Count,
  /** What was not good enough to keep, the first twenty. */
  problems: z.array(z.strictObject({ id: z.string(), label: z.string(), outcome: z.string(), detail: z.string() })),
  tokensIn: Count,
  tokensOut: Count,
  cost: z.strictObject({ amount: z.number().nonnegative(), currency: z.string() }).nullable(),
});
export type BatchRead = z.infer<typeof BatchRead>;
