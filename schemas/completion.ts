import { z } from "zod";

/** One message of a request to an OpenAI-compatible chat endpoint. Text only: what we ask for needs no tools. */
export const ChatMessage = z.strictObject({ role: z.enum(["system", "user", "assistant"]), content: z.string() });
export type ChatMessage = z.infer<typeof ChatMessage>;

/** A request as stages state it. Base URL, model and sampling defaults are the endpoint's settings (recipe `llm`), added by the client. */
export const Completion = z.strictObject({
  /** What is asked for, for ledger and messages: `<stage>:<trajectory id>:<cut>`. Not part of the cache key. */
  label: z.string(),
  messages: z.array(ChatMessage).min(1),
  /** Hard reply limit, tokens. */
  maxTokens: z.int().positive(),
  /** Sampling temperature of this request; null: the recipe's `llm.temperature`. */
  temperature: z.number().min(0).max(2).nullable(),
  /** Distinguishes several samples of one request: 0, 1, ... Part of the cache key. */
  sampleIndex: z.int().nonnegative(),
});
export type Completion = z.infer<typeof Completion>;

/** A complete, accepted reply. Truncated or refused ones never get here: they are faults, and only the ledger has them. */
export const Reply = z.strictObject({
  text: z.string(),
  /** The model the endpoint says has answered. */
  model: z.string(),
  tokensIn: z.int().nonnegative().nullable(),
  tokensOut: z.int().nonnegative().nullable(),
  /** True when it came from the reply cache and cost nothing now. */
  cached: z.boolean(),
});
export type Reply = z.infer<typeof Reply>;
