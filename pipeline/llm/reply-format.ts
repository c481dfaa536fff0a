import { z } from "zod";
import { Reply, type ToolCall } from "../../schemas/completion.ts";

/** A reply as it is kept: whether it came from the cache, and how it was asked for, is known when it is handed out. */
export const KeptReply = Reply.omit({ cached: true, transport: true });
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
/** Arguments should be text; some endpoints send the object itself. */
const WireCall = z.object({
  id: z.string().nullish(),
  function: z.object({ name: z.string(), arguments: z.union([z.string(), z.record(z.string(), z.unknown())]).nullish() }),
});
const Choice = z.object({
  finish_reason: z.string().nullish(),
  message: z.object({
    content: z.string().nullish(),
    refusal: z.string().nullish(),
    /** vLLM, SGLang, DeepSeek say `reasoning_content`, OpenRouter and newer vLLM `reasoning`. */
    reasoning_content: z.string().nullish(),
    reasoning: z.string().nullish().catch(null),
    tool_calls: z.array(WireCall).nullish(),
  }),
});
const ChatReply = z.object({ model: z.string().nullable().catch(null), choices: z.array(Choice).min(1) });
const InlineError = z.object({ error: z.object({ message: z.string() }) });

/** How OpenAI, vLLM, SGLang, llama.cpp, TGI and Anthropic-like gateways say that the model itself ended its reply. */
const completeReasons = new Set(["stop", "eos", "eos_token", "stop_sequence", "end_turn"]);
const callReasons = new Set(["tool_calls", "tool_use", "function_call"]);

/** Reads a body that came with status 200. Others' format, so lenient about what we do not need. Without tools there are no calls. */
export function readReply(body: string, requestedModel: string, withTools: boolean): ReadReply {
  let json: unknown;
  try {
    json = JSON.parse(body);
  } catch {
    return unusable(noUsage, `expected JSON, got ${body.length} characters starting ${JSON.stringify(body.slice(0, 60))}`);
  }
  const usage = usageOf(json);
  const parsed = ChatReply.safeParse(json);
  const choice = parsed.data?.choices[0];
  if (choice === undefined)
    return unusable(usage, inlineError(json) ?? `expected choices[0].message, got ${JSON.stringify(json).slice(0, 80)}`);
  const reason = choice.finish_reason ?? "none";
  if (reason === "length") return { kind: "truncated", usage, detail: "finish_reason length: the reply was longer than its limit" };
  if (reason === "content_filter" || choice.message.refusal) return { kind: "filtered", usage, detail: `finish_reason ${reason}` };
  const calls = withTools ? (choice.message.tool_calls ?? []).map(callOf) : [];
  if (!completeReasons.has(reason) && !(callReasons.has(reason) && calls.length > 0))
    return unusable(usage, `finish_reason ${reason}${callReasons.has(reason) ? " without a call" : ", expected stop"}`);
  const text = choice.message.content ?? "";
  if (text.trim() === "" && calls.length === 0) return unusable(usage, "the reply has no content");
  const reasoning = choice.message.reasoning_content ?? choice.message.reasoning ?? null;
  return { kind: "answered", usage, reply: { text, reasoning, calls, model: parsed.data?.model ?? requestedModel, ...usage } };
}

const callOf = ({ id, function: { name, arguments: given } }: z.infer<typeof WireCall>, index: number): ToolCall => ({
  id: id ?? `call_${index}`,
  name,
  arguments: typeof given === "string" ? given : JSON.stringify(given ?? {}),
});

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
