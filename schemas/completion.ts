import { z } from "zod";

/** A call as a model wrote it; `arguments` is raw text that should be a JSON object and may be none. */
export const ToolCall = z.strictObject({ id: z.string(), name: z.string(), arguments: z.string() });
export type ToolCall = z.infer<typeof ToolCall>;

/** One message of a request to an OpenAI-compatible chat endpoint. Text only. */
export const ChatMessage = z.discriminatedUnion("role", [
  z.strictObject({ role: z.enum(["system", "user"]), content: z.string() }),
  z.strictObject({ role: z.literal("assistant"), content: z.string(), calls: z.array(ToolCall) }),
  /** What a call gave; `call` is its id. */
  z.strictObject({ role: z.literal("tool"), content: z.string(), call: z.string() }),
]);
export type ChatMessage = z.infer<typeof ChatMessage>;

/** How a reply is made to be one JSON object: not at all, by a schema of the reply, or by one tool that must be called with it. */
export const ReplyTransport = z.enum(["text", "json-schema", "tool"]);
export type ReplyTransport = z.infer<typeof ReplyTransport>;

/** A JSON object that the reply should be, and the ways to ask for it, the best first. */
export const Structure = z.strictObject({
  /** Name of the schema, or of the tool. */
  name: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/),
  description: z.string(),
  /** JSON Schema of the object, raw JSON text; strict in OpenAI's sense: every property required, no others. */
  schema: z.string(),
  /** A paragraph that ends the last message where the reply is to be the object; as plain text the request stays as it is. */
  hint: z.string(),
  /** Of several, the first that the endpoint does not refuse is used, and found out once per run. */
  transports: z.array(ReplyTransport).min(1),
});
export type Structure = z.infer<typeof Structure>;

/** A request as stages state it. Base URL, model and sampling defaults are the endpoint's settings (recipe `llm`), added by the client. */
export const Completion = z.strictObject({
  /** What is asked for, for ledger and messages: `<stage>:<trajectory id>:<cut>`. Not part of the cache key. */
  label: z.string(),
  messages: z.array(ChatMessage).min(1),
  /** Schemas of the tools that may be called natively, raw JSON text each; empty: none. */
  tools: z.array(z.string()),
  /** Hard reply limit, tokens. */
  maxTokens: z.int().positive(),
  /** Sampling temperature of this request; null: the recipe's `llm.temperature`. */
  temperature: z.number().min(0).max(2).nullable(),
  /** Distinguishes several samples of one request: 0, 1, ... Part of the cache key. */
  sampleIndex: z.int().nonnegative(),
  /** Left out or null: plain text (and native calls of `tools`). With it `tools` must be empty. */
  structure: Structure.nullish(),
});
export type Completion = z.infer<typeof Completion>;

/** A complete, accepted reply. Truncated or refused ones never get here: they are faults, and only the ledger has them. */
export const Reply = z.strictObject({
  /** The visible text; empty where there are calls alone. */
  text: z.string(),
  /** Hidden reasoning that the endpoint hands out apart from the text; null: none. */
  reasoning: z.string().nullable(),
  /** Native calls in the order written. */
  calls: z.array(ToolCall),
  /** The model the endpoint says has answered. */
  model: z.string(),
  tokensIn: z.int().nonnegative().nullable(),
  tokensOut: z.int().nonnegative().nullable(),
  /** True when it came from the reply cache and cost nothing now. */
  cached: z.boolean(),
  /** Which of the transports of `structure` it came by; left out where there was none. Some endpoints ignore what they take. */
  transport: ReplyTransport.optional(),
});
export type Reply = z.infer<typeof Reply>;
