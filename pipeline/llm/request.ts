import type { ChatMessage, Completion, ReplyTransport, Structure } from "../../schemas/completion.ts";
import { digestOf } from "../store/digest.ts";
import { type EndpointSettings, normaliseBaseUrl } from "./endpoint.ts";

/** Bump when what is sent for an equal request changes in a way the body does not show: every cached reply is then forgotten. */
const keyVersion = 1;
export const completionsPath = "/chat/completions";

/** A request as it goes over the wire, with the key under which its reply is kept. */
export interface WireRequest {
  readonly request: Completion;
  /** How the object of `request.structure` is asked for; `text` without one. */
  readonly transport: ReplyTransport;
  readonly body: Readonly<Record<string, unknown>>;
  /** Lower-case hex SHA-256. */
  readonly key: string;
}

export function wireRequest(settings: EndpointSettings, request: Completion, transport: ReplyTransport = "text"): WireRequest {
  const body = requestBody(settings, request, transport);
  return { request, transport, body, key: replyKey(settings, body, request.sampleIndex) };
}

/** Body fields that make the reply one JSON object. Source: OpenAI's API reference, which vLLM, SGLang and llama.cpp follow. */
function structureFields(structure: Structure, transport: ReplyTransport): Record<string, unknown> {
  const { name, description } = structure;
  const schema: unknown = JSON.parse(structure.schema);
  if (transport === "json-schema") return { response_format: { type: "json_schema", json_schema: { name, schema, strict: true } } };
  if (transport === "tool")
    return {
      tools: [{ type: "function", function: { name, description, parameters: schema } }],
      tool_choice: { type: "function", function: { name } },
    };
  return {};
}

/** The messages as asked by `transport`: the hint is a paragraph of the last one. */
export function messagesFor({ messages, structure }: Completion, transport: ReplyTransport): readonly ChatMessage[] {
  const last = messages.at(-1);
  if (structure == null || transport === "text" || last === undefined) return messages;
  return [...messages.slice(0, -1), { ...last, content: `${last.content}\n\n${structure.hint}` }];
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
function requestBody(settings: EndpointSettings, request: Completion, transport: ReplyTransport): Record<string, unknown> {
  const fields = {
    temperature: request.temperature ?? settings.temperature,
    top_p: settings.topP,
    seed: settings.seed === null ? null : settings.seed + request.sampleIndex,
    ...settings.extraBody,
    model: settings.model,
    messages: messagesFor(request, transport).map(wireMessage),
    tools: request.tools.length === 0 ? null : request.tools.map((tool): unknown => JSON.parse(tool)),
    [settings.replyLimitField ?? "max_tokens"]: request.maxTokens,
    ...(request.structure == null ? {} : structureFields(request.structure, transport)),
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
