import { z } from "zod";
import { limit, share } from "./ranges.ts";

export const CondenseRecipe = z.strictObject({
  condenser: z
    .enum(["auto", "extractive", "llm"])
    .default("auto")
    .describe(
      "Who writes memories: `llm` = the endpoint, `extractive` = built in, deterministic, `auto` = llm when an endpoint is configured.",
    ),
  memoryBaseTokens: z
    .int()
    .min(64)
    .default(256)
    .describe("Memory target m(a) = base + share x tokens of all steps before keptFrom, up to cap. Tokens."),
  memoryShare: share()
    .default(0.15)
    .describe(
      "The share in m(a). 0.15 makes the mean of M_j / (M_(j-1) + fold) about 0.30 over four equal folds (Table 1: 30 %, 4.22 calls).",
    ),
  memoryCapTokens: z.int().min(64).default(8_192).describe("The cap of m(a), and the hard reply limit of the condenser. Tokens."),
  attempts: z
    .int()
    .min(1)
    .max(10)
    .default(3)
    .describe(
      "Times a memory is asked for before the trajectory is rejected: no memory, over the cap, more findings than maxFindings. Each further request says what was wrong.",
    ),
  retryTemperature: z
    .number()
    .min(0)
    .max(2)
    .default(0.7)
    .describe("Sampling temperature of every further attempt and candidate, 0..2: at 0 the model would only repeat itself. Our choice."),
  candidates: z
    .int()
    .min(1)
    .max(16)
    .default(1)
    .describe(
      "Memories written per fold to choose from: fewest findings of the checks (weighted), then nearest to the target size. Each is paid for.",
    ),
  maxFindings: limit(z.int().nonnegative())
    .default(null)
    .describe(
      "Findings of the checks grounded, state-true and failure-keeping from which on a memory is asked for again, at last rejected: more than these. null: the checks only measure.",
    ),
  transport: z
    .enum(["auto", "text", "json-schema", "tool"])
    .default("auto")
    .describe(
      "How a reply gets its form: `json-schema` = response_format, `tool` = one forced tool call, `text` = asked for in words; `auto` = the first of these that the endpoint does not refuse (HTTP 400, 404, 422), found out once per run at no cost.",
    ),
  thought: z
    .enum(["auto", "template", "llm"])
    .default("auto")
    .describe(
      "Who writes the thought before a context call: `llm` = the endpoint, from the signals' evidence and the last steps before the cut, in a small request of its own; `template` = built in; `auto` = whoever writes the memories. What a model writes badly is replaced by a template.",
    ),
  windowTokens: z
    .int()
    .min(1024)
    .nullable()
    .default(null)
    .describe(
      "Window of the condenser, tokens. Folds that do not fit are condensed in pieces, each memory folded into the next. null: window.tokens.",
    ),
  judge: z
    .boolean()
    .default(false)
    .describe(
      "A second opinion: one more call per memory, whoever wrote it, asks the endpoint which statements the task, the memory before and the steps so far do not support. It is stored and shown and decides nothing, unless filter.maxJudged is set. Left out with the reason where it does not fit the window.",
    ),
});
export type CondenseRecipe = z.infer<typeof CondenseRecipe>;
