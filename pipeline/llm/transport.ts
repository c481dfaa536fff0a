import OpenAI, { APIError } from "openai";
import { Agent, type RequestInit as UndiciRequestInit, fetch as undiciFetch } from "undici";
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
    // The same RequestInit, typed once by the platform and once by undici.
    fetch: (url, init) => fetchWhole(String(url), init as unknown as UndiciRequestInit, agent, settings.idleTimeoutMs ?? defaultIdleMs),
  });
  return {
    async send(body, signal) {
      try {
        const response = await client.post(completionsPath, { body, signal }).asResponse();
        const text = await response.text();
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

/** Fetches and reads the whole body here, so that size, silence and abort are handled in one place for good and bad replies alike. */
async function fetchWhole(url: string, init: UndiciRequestInit, agent: Agent, idleMs: number): Promise<Response> {
  try {
    // A redirect would turn POST into GET, or carry prompts to another host: reported instead of followed.
    const response = await undiciFetch(url, { ...init, dispatcher: agent, redirect: "manual" });
    const bytes = response.body === null ? null : await readBody(response.body.getReader(), idleMs);
    const bodiless = response.status === 204 || response.status === 205 || response.status === 304;
    return new Response(bodiless ? null : bytes, { status: response.status, headers: [...response.headers] });
  } catch (error) {
    if (error instanceof WireError) throw error;
    if (init.signal?.aborted) throw new WireError("aborted", "aborted");
    const code = systemCode(error);
    throw new WireError(neverReached.test(code) ? "unreachable" : "broken-off", code);
  }
}

/** The part of undici's stream reader we use; its type and Node's differ in names only. */
interface BodyReader {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
  cancel(): Promise<void>;
}

async function readBody(reader: BodyReader, idleMs: number): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  let size = 0;
  let stalled = false;
  const timer = setTimeout(() => {
    stalled = true;
    void reader.cancel().catch(() => undefined); // already broken off: the read below reports it
  }, idleMs);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (stalled) throw new WireError("stalled", `no byte for ${idleMs} ms`);
      if (done || value === undefined) return concatenated(parts, size);
      timer.refresh();
      parts.push(value);
      size += value.byteLength;
      if (size > maxReplyBytes) {
        void reader.cancel().catch(() => undefined); // the size is the news, not how the rest ends
        throw new WireError("too-large", `more than ${maxReplyBytes} bytes`);
      }
    }
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
