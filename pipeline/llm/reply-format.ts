import { z } from "zod";
import { Reply } from "../../schemas/completion.ts";

/** A reply as it is kept: whether it came from the cache is known only when it is handed out. */
export const KeptReply = Reply.omit({ cached: true });
export type KeptReply = z.infer<typeof KeptReply>;

/** What the endpoint says it billed; null where it is silent or says nonsense. */
export interface Usage {
  readonly tokensIn: number | null;
  readonly tokensOut: number | null;
}

/** Usage is there even when the reply is worthless: it was billed all the same. */
export type ReadReply = { readonly usage: Usage } & (
  | { readonly kind: "answered"; readonly reply: KeptReply }
  | { readonly kind: "not-a-completion" | "truncated" | "filtered"; readonly detail: string }
);

const Tokens = z.int().nonnegative().nullable().catch(null);
const ReportedUsage = z.object({ usage: z.object({ prompt_tokens: Tokens, completion_tokens: Tokens }) });
const Choice = z.object({
  finish_reason: z.string().nullish(),
  message: z.object({ content: z.string().nullish(), refusal: z.string().nullish() }),
});
const ChatReply = z.object({ model: z.string().nullable().catch(null), choices: z.array(Choice).min(1) });
const InlineError = z.object({ error: z.object({ message: z.string() }) });

/** How OpenAI, vLLM, SGLang, llama.cpp, TGI and Anthropic-like gateways say that the model itself ended its reply. */
const completeReasons = new Set(["stop", "eos", "eos_token", "stop_sequence", "end_turn"]);

/** Reads a body that came with status 200. Others' format, so lenient about what we do not need. */
export function readReply(text: string, requestedModel: string): ReadReply {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return unusable(noUsage, `expected JSON, got ${text.length} characters starting ${JSON.stringify(text.slice(0, 60))}`);
  }
  const usage = usageOf(json);
  const parsed = ChatReply.safeParse(json);
  const choice = parsed.data?.choices[0];
  if (choice === undefined)
    return unusable(usage, inlineError(json) ?? `expected choices[0].message, got ${JSON.stringify(json).slice(0, 80)}`);
  const reason = choice.finish_reason ?? "none";
  if (reason === "length") return { kind: "truncated", usage, detail: "finish_reason length: the reply was longer than its limit" };
  if (reason === "content_filter" || choice.message.refusal) return { kind: "filtered", usage, detail: `finish_reason ${reason}` };
  if (!completeReasons.has(reason)) return unusable(usage, `finish_reason ${reason}, expected stop`);
  const content = choice.message.content ?? "";
  if (content.trim() === "") return unusable(usage, "the reply has no content");
  return { kind: "answered", usage, reply: { text: content, model: parsed.data?.model ?? requestedModel, ...usage } };
}

const noUsage: Usage = { tokensIn: null, tokensOut: null };
const unusable = (usage: Usage, detail: string): ReadReply => ({ kind: "not-a-completion", usage, detail });

function usageOf(json: unknown): Usage {
  const reported = ReportedUsage.safeParse(json).data?.usage;
  return reported === undefined ? noUsage : { tokensIn: reported.prompt_tokens, tokensOut: reported.completion_tokens };
}

/** Gateways report upstream errors with status 200. */
function inlineError(json: unknown): string | null {
  const message = InlineError.safeParse(json).data?.error.message;
  return message === undefined ? null : `an error with status 200: ${message.slice(0, 200)}`;
}
