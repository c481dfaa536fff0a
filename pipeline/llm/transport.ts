import type { Readable } from "node:stream";
import OpenAI, { APIError } from "openai";
import { Agent } from "undici";
import { type EndpointSettings, normaliseBaseUrl } from "./endpoint.ts";
import { completionOf } from "./event-stream.ts";
import { completionsPath } from "./request.ts";

/** Far above any honest reply (4,096 tokens are about 20 KB), far below what would hurt. Counted after decompression. */
export const maxReplyBytes = 16 * 1024 * 1024;
const defaultIdleMs = 60_000;
/** Our own timer decides, see `attempt.ts`; the client's cannot be switched off. */
const neverMs = 2 ** 31 - 1;

export type WireFailure = "unreachable" | "broken-off" | "stalled" | "too-large" | "aborted";
export type WireReply =
  | { readonly kind: "ok"; readonly status: number; readonly text: string }
  | { readonly kind: "refused"; readonly status: number; readonly headers: Headers; readonly code: string | null; readonly detail: string }
  | { readonly kind: "failed"; readonly failure: WireFailure; readonly detail: string };

export interface Transport {
  /** Sends one request once. What goes wrong on the way is a value; only a bug throws. */
  send(body: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<WireReply>;
  close(): Promise<void>;
}

/** The `code` carries what happened: the client rewrites errors whose message reads like a time-out and drops their cause. */
class WireError extends Error {
  readonly failure: WireFailure;
  readonly code: string;
  constructor(failure: WireFailure, code: string) {
    super("the exchange failed");
    this.failure = failure;
    this.code = code;
  }
}

export function openTransport(settings: EndpointSettings): Transport {
  // Node's own limit of 300 s until the first header would cut long generations; ours is `timeoutMs`.
  const agent = new Agent({ connections: settings.concurrency, headersTimeout: 0, bodyTimeout: 0 });
  const client = new OpenAI({
    baseURL: normaliseBaseUrl(settings.baseUrl),
    // All given, so that no key or organisation in the shell's OPENAI_* variables is sent to somebody else's endpoint.
    apiKey: settings.apiKey ?? "none", // the client insists on one; the header below takes it off again
    adminAPIKey: null,
    organization: null,
    project: null,
    defaultHeaders: settings.apiKey === null ? { authorization: null } : {},
    logLevel: "off",
    maxRetries: 0,
    timeout: neverMs,
    fetch: (url, init) => fetchWhole(String(url), init ?? {}, agent, settings.idleTimeoutMs ?? defaultIdleMs),
  });
  return {
    async send(body, signal) {
      try {
        const response = await client.post(completionsPath, { body, signal }).asResponse();
        const text = texts.get(response) ?? (await response.text());
        const inPieces = (response.headers.get("content-type") ?? "").startsWith("text/event-stream");
        return { kind: "ok", status: response.status, text: inPieces ? completionOf(text) : text };
      } catch (error) {
        return wireReplyOf(error);
      }
    },
    close: () => agent.destroy(),
  };
}

function wireReplyOf(error: unknown): WireReply {
  if (!(error instanceof APIError)) throw error;
  if (error.status !== undefined) {
    return { kind: "refused", status: error.status, headers: error.headers, code: error.code ?? null, detail: error.message.slice(0, 300) };
  }
  const cause = error.cause;
  return cause instanceof WireError
    ? { kind: "failed", failure: cause.failure, detail: cause.code }
    : { kind: "failed", failure: "aborted", detail: error.name };
}

/** Bodies of good replies: taking them through the streams of a `Response` once more would cost as much as all the rest. */
const texts = new WeakMap<Response, string>();

/**
 * Sends and reads the whole body here, so that size, silence and abort are handled in one place for good and bad replies alike. By
 * undici's `request`, which takes half the CPU of its `fetch` (measured: test/bench/condenser.bench.ts), follows no redirect (it would turn POST into
 * GET, or carry prompts to another host) and asks for no compression.
 */
async function fetchWhole(url: string, init: RequestInit, agent: Agent, idleMs: number): Promise<Response> {
  const { origin, pathname, search } = new URL(url);
  try {
    const { statusCode, headers, body } = await agent.request({
      origin,
      path: pathname + search,
      method: (init.method ?? "GET") as "POST",
      headers: Object.fromEntries(new Headers(init.headers)),
      body: typeof init.body === "string" ? init.body : null,
      signal: init.signal ?? undefined,
    });
    const bytes = await readBody(body, idleMs);
    const bodiless = statusCode === 204 || statusCode === 205 || statusCode === 304;
    const shown = Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)] as [string, string]],
    );
    const good = statusCode === 200;
    const response = new Response(bodiless || good ? null : bytes, { status: statusCode, headers: shown });
    if (good) texts.set(response, new TextDecoder().decode(bytes));
    return response;
  } catch (error) {
    if (error instanceof WireError) throw error;
    if (init.signal?.aborted) throw new WireError("aborted", "aborted");
    const code = systemCode(error);
    throw new WireError(neverReached.test(code) ? "unreachable" : "broken-off", code);
  }
}

async function readBody(body: Readable, idleMs: number): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  let size = 0;
  const timer = setTimeout(() => body.destroy(new WireError("stalled", `no byte for ${idleMs} ms`)), idleMs);
  try {
    for await (const part of body as AsyncIterable<Uint8Array>) {
      timer.refresh();
      parts.push(part);
      size += part.byteLength;
      if (size > maxReplyBytes) throw new WireError("too-large", `more than ${maxReplyBytes} bytes`);
    }
    return concatenated(parts, size);
  } finally {
    clearTimeout(timer);
  }
}

function concatenated(parts: readonly Uint8Array[], size: number): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(size);
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.byteLength;
  }
  return whole;
}

/** The request cannot have been read, so it cannot be billed. All else may have been. */
const neverReached = /REFUSED|NOTFOUND|EAI_|UNREACH|CONNECT_TIMEOUT|CERT|TLS|SSL|EPROTO|UNABLE_TO/;

function systemCode(error: unknown): string {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth += 1) {
    if ("code" in at && typeof at.code === "string") return at.code;
  }
  return error instanceof Error ? error.name : "unknown";
}
