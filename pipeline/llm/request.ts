import type { Completion } from "../../schemas/completion.ts";
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

/** The body as sent. Reply limit, messages and model always win over `extraBody`. */
function requestBody(settings: EndpointSettings, request: Completion): Record<string, unknown> {
  const fields = {
    temperature: request.temperature ?? settings.temperature,
    top_p: settings.topP,
    seed: settings.seed === null ? null : settings.seed + request.sampleIndex,
    ...settings.extraBody,
    model: settings.model,
    messages: request.messages,
    [settings.replyLimitField ?? "max_tokens"]: request.maxTokens,
    stream: false,
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}

/** All that shapes the reply and nothing else: no API key, time-outs, headers, concurrency, retries. */
function replyKey(settings: EndpointSettings, body: Record<string, unknown>, sampleIndex: number): string {
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
