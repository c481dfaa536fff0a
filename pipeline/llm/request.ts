import type { ChatMessage, Completion } from "../../schemas/completion.ts";
import { digestOf } from "../store/digest.ts";
import { type EndpointSettings, normaliseBaseUrl } from "./endpoint.ts";

/** Bump when what is sent for an equal request changes in a way the body does not show: every cached reply is then forgotten. */
const keyVersion = 1;
export const completionsPath = "/chat/completions";

/** A request as it goes over the wire, with the key under which its reply is kept. */
export interface WireRequest {
  readonly request: Completion;
  readonly body: Readonly<Record<string, unknown>>;
  /** Lower-case hex SHA-256. */
  readonly key: string;
}

export function wireRequest(settings: EndpointSettings, request: Completion): WireRequest {
  const body = requestBody(settings, request);
  return { request, body, key: replyKey(settings, body, request.sampleIndex) };
}

/** A message as the wire has it. Content beside calls may be missing, but not empty: some endpoints refuse that. */
function wireMessage(message: ChatMessage): Record<string, unknown> {
  if (message.role === "tool") return { role: "tool", tool_call_id: message.call, content: message.content };
  if (message.role !== "assistant") return { role: message.role, content: message.content };
  if (message.calls.length === 0) return { role: "assistant", content: message.content };
  const calls = message.calls.map(({ id, name, arguments: text }) => ({ id, type: "function", function: { name, arguments: text } }));
  return { role: "assistant", content: message.content === "" ? null : message.content, tool_calls: calls };
}

/** The body as sent. Reply limit, messages, tools and model always win over `extraBody`. */
function requestBody(settings: EndpointSettings, request: Completion): Record<string, unknown> {
  const fields = {
    temperature: request.temperature ?? settings.temperature,
    top_p: settings.topP,
    seed: settings.seed === null ? null : settings.seed + request.sampleIndex,
    ...settings.extraBody,
    model: settings.model,
    messages: request.messages.map(wireMessage),
    tools: request.tools.length === 0 ? null : request.tools.map((tool): unknown => JSON.parse(tool)),
    [settings.replyLimitField ?? "max_tokens"]: request.maxTokens,
    stream: settings.stream ?? false,
    stream_options: settings.stream === true ? { include_usage: true } : null,
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}

/** All that shapes the reply and nothing else: no API key, time-outs, headers, concurrency, retries, nor whether it came in pieces. */
function replyKey(settings: EndpointSettings, sent: Record<string, unknown>, sampleIndex: number): string {
  const { stream_options: _, ...body }: Record<string, unknown> = { ...sent, stream: false };
  const shaping = {
    v: keyVersion,
    wire: `POST ${completionsPath}`,
    baseUrl: normaliseBaseUrl(settings.baseUrl),
    model: settings.model,
    body,
    sampleIndex,
  };
  return digestOf(JSON.parse(JSON.stringify(shaping)));
}
