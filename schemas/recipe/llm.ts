import { z } from "zod";

/** Fields of the request body that `extraBody` may not touch: they come from the stage or decide how the reply is read. */
const reservedBodyFields = ["messages", "tools", "model", "stream", "stream_options", "n", "max_tokens", "max_completion_tokens"];

const LlmBudget = z
  .strictObject({
    tokens: z
      .int()
      .positive()
      .nullable()
      .default(null)
      .describe("most tokens this run may be billed, prompt and reply together; tokens; >= 1, null = no limit"),
    money: z
      .number()
      .positive()
      .nullable()
      .default(null)
      .describe("most money this run may spend; units of budget.currency; > 0, null = no limit; needs llm.price"),
    currency: z.string().min(1).default("USD").describe("currency of budget.money and price; a label, nothing is converted"),
  })
  .default({ tokens: null, money: null, currency: "USD" })
  .describe("where the run stops paying; counted over the whole run folder, resumed runs included");

const LlmPrice = z
  .strictObject({
    inputPerMillion: z.number().nonnegative().default(0).describe("price of prompt tokens; budget.currency per 1,000,000 tokens; >= 0"),
    outputPerMillion: z.number().nonnegative().default(0).describe("price of reply tokens; budget.currency per 1,000,000 tokens; >= 0"),
  })
  .nullable()
  .default(null)
  .describe("what the endpoint charges, to state cost; null = unknown, then cost is not stated; source: the provider's price list");

const LlmAskAbove = z
  .strictObject({
    calls: z
      .int()
      .nonnegative()
      .nullable()
      .default(1_000)
      .describe(
        "model calls that stage 3 may plan without asking; calls; >= 0, null = never ask for their number; 1,000 is about 240 runs of Table 1's 4.22 calls; our choice",
      ),
    money: z
      .number()
      .nonnegative()
      .nullable()
      .default(10)
      .describe("money that stage 3 may plan without asking, by llm.price; units of budget.currency; >= 0, null = never; our choice"),
  })
  .prefault({})
  .describe(
    "on a terminal, a plan for stage 3 above one of these is shown and asked about before anything is spent; --yes goes on unasked",
  );

/** Recipe key `llm`: the backbone and how it is asked. The API key is never in a recipe, only the name of the variable that holds it. */
export const LlmRecipe = z.strictObject({
  baseUrl: z
    .string()
    .nullable()
    .default(null)
    .describe("OpenAI-compatible endpoint up to and with /v1; null = CATGEN_BASE_URL; part of the reply cache key"),
  model: z
    .string()
    .nullable()
    .default(null)
    .describe("model name as the endpoint knows it; null = CATGEN_MODEL; part of the reply cache key"),
  apiKeyVariable: z
    .string()
    .regex(/^[A-Z_][A-Z0-9_]*$/, "expected the NAME of an environment variable (capitals), never the key itself")
    .default("CATGEN_API_KEY")
    .describe("environment variable that holds the API key; unset = no key is sent"),
  temperature: z.number().min(0).max(2).default(0).describe("sampling temperature; 0..2; source: CAT paper, fixed to 0.0"),
  topP: z.number().gt(0).max(1).nullable().default(null).describe("nucleus sampling share; 0 < topP <= 1; null = not sent"),
  seed: z
    .int()
    .nonnegative()
    .nullable()
    .default(null)
    .describe("sampling seed, sample i of a request is sent seed + i; >= 0; null = not sent"),
  replyLimitField: z
    .enum(["max_tokens", "max_completion_tokens"])
    .default("max_tokens")
    .describe("body field that carries the reply limit; newer OpenAI models want max_completion_tokens"),
  extraBody: z
    .record(z.string(), z.json())
    .refine((body) => reservedBodyFields.every((field) => !Object.hasOwn(body, field)), `must not set ${reservedBodyFields.join(", ")}`)
    .default({})
    .describe("further body fields, sent as they are (chat_template_kwargs, ...); null removes a field (temperature: null)"),
  stream: z
    .boolean()
    .default(false)
    .describe(
      "have replies sent in pieces, so that llm.idleTimeoutMs notices a stalled one sooner; the reply, and its cache key, are the same",
    ),
  concurrency: z.int().min(1).max(4096).default(8).describe("most calls in flight at once, per process; calls; 1..4096"),
  maxAttempts: z.int().min(1).max(100).default(5).describe("attempts per call, the first included; attempts; 1..100"),
  timeoutMs: z
    .int()
    .min(1)
    .max(86_400_000)
    .default(600_000)
    .describe("most time one attempt may take from connect to last byte; ms; 1..86,400,000"),
  idleTimeoutMs: z
    .int()
    .min(1)
    .max(86_400_000)
    .default(60_000)
    .describe("most silence between two parts of a reply body that has begun; ms; 1..86,400,000"),
  budget: LlmBudget,
  price: LlmPrice,
  askAbove: LlmAskAbove,
});
export type LlmRecipe = z.infer<typeof LlmRecipe>;
