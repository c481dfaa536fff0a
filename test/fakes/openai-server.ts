import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What the fake understands of a request body; the rest is in `body`. */
export interface FakeRequest {
  readonly model: string;
  readonly messages: readonly { readonly role: string; readonly content: string | null; readonly tool_calls?: readonly unknown[] }[];
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers: IncomingMessage["headers"];
  /** 1, 2, ...: the how-manieth chat request. */
  readonly nth: number;
}

/** A reply that is more than text. */
export interface FakeReply {
  readonly text: string;
  readonly reasoning?: string;
  readonly calls?: readonly { readonly name: string; readonly arguments: string }[];
}

/** Bodies that arrive whole, with status 200, and are not what was asked for. */
type SpoiledKind =
  | "empty-body"
  | "half-json"
  | "no-choices"
  | "content-null"
  | "content-empty"
  | "no-usage"
  /** No JSON at all. */
  | "nan-tokens"
  /** Strings and negative numbers as counts. */
  | "odd-usage"
  | "error-with-200"
  | "proto-keys";

/** One request goes wrong in this way. */
export type FakeFault =
  /** The connection closes before a byte of reply. */
  | { readonly kind: "close" }
  /** Half a reply, then the connection breaks. */
  | { readonly kind: "reset" }
  /** Never a byte. */
  | { readonly kind: "stall" }
  /** Head and a few bytes, then silence. */
  | { readonly kind: "stall-in-body" }
  /** One byte at a time. */
  | { readonly kind: "drip"; readonly everyMs: number }
  /** A whole reply of blanks. */
  | { readonly kind: "huge"; readonly bytes: number }
  | { readonly kind: "html" | "context-length" | SpoiledKind }
  | { readonly kind: "finish"; readonly reason: string }
  | {
      readonly kind: "status";
      readonly status: number;
      readonly headers?: Record<string, string>;
      readonly message?: string;
      readonly code?: string;
    };

export interface FakeServerOptions {
  /** What the model says; by default the same for an equal body, and different otherwise. */
  readonly reply?: (request: FakeRequest) => string | FakeReply;
  /** Asked for every chat request before the script; null = answer well. */
  readonly fault?: (request: FakeRequest) => FakeFault | null;
  /** Every good answer waits this long. */
  readonly delayMs?: number;
  readonly models?: readonly string[];
}

export interface FakeServer {
  /** `http://127.0.0.1:<port>/v1` */
  readonly baseUrl: string;
  /** All chat requests so far, in order of arrival. */
  readonly requests: readonly FakeRequest[];
  mostInFlight(): number;
  /** The next requests fail in this order; after that all goes well again. */
  script(...faults: FakeFault[]): void;
  close(): Promise<void>;
}

/** A deterministic OpenAI-compatible server on loopback: its reply is a function of the request, its faults are scripted. */
export async function startFakeServer(options: FakeServerOptions = {}): Promise<FakeServer> {
  const requests: FakeRequest[] = [];
  const script: FakeFault[] = [];
  let inFlight = 0;
  let mostInFlight = 0;
  const server = createServer(async (incoming, response) => {
    if (incoming.method === "GET" && incoming.url === "/v1/models") return sendModels(response, options.models ?? ["fake-model"]);
    if (incoming.method !== "POST" || incoming.url !== "/v1/chat/completions") return sendError(response, 404, "no such path", "not_found");
    inFlight += 1;
    mostInFlight = Math.max(mostInFlight, inFlight);
    response.once("close", () => {
      inFlight -= 1;
    });
    const request = requestOf(await bodyOf(incoming), incoming, requests.length + 1);
    requests.push(request);
    const fault = options.fault?.(request) ?? script.shift() ?? null;
    if (options.delayMs !== undefined) await new Promise((resolve) => setTimeout(resolve, options.delayMs));
    const good = completionOf(request, options.reply ?? echo);
    if (fault === null && request.body["stream"] === true) stream(response, good);
    else answer(response, good, fault);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    mostInFlight: () => mostInFlight,
    script: (...faults) => void script.push(...faults),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function bodyOf(incoming: IncomingMessage): Promise<Record<string, unknown>> {
  const parts: Buffer[] = [];
  for await (const part of incoming) parts.push(part as Buffer);
  return JSON.parse(Buffer.concat(parts).toString("utf8")) as Record<string, unknown>;
}

function requestOf(body: Record<string, unknown>, incoming: IncomingMessage, nth: number): FakeRequest {
  return { model: String(body["model"]), messages: body["messages"] as FakeRequest["messages"], body, headers: incoming.headers, nth };
}

const echo = (request: FakeRequest): string =>
  `reply ${createHash("sha256").update(JSON.stringify(request.body)).digest("hex").slice(0, 12)}`;

/** About one token per 4 characters, as the usual rule of thumb has it. */
export const fakeTokens = (text: string): number => Math.ceil(text.length / 4);

function completionOf(request: FakeRequest, reply: (request: FakeRequest) => string | FakeReply) {
  const said = reply(request);
  const { text, reasoning, calls }: FakeReply = typeof said === "string" ? { text: said } : said;
  const asked = calls?.map((call, index) => ({ id: `call-${request.nth}-${index}`, type: "function", function: call }));
  const written = text + (reasoning ?? "") + (calls ?? []).map((call) => call.name + call.arguments).join("");
  const promptTokens = request.messages.reduce((sum, message) => sum + fakeTokens(message.content ?? ""), 0);
  const message = {
    role: "assistant",
    content: (text === "" && asked !== undefined ? null : text) as string | null,
    ...(reasoning === undefined ? {} : { reasoning_content: reasoning }),
    ...(asked === undefined ? {} : { tool_calls: asked }),
  };
  return {
    id: `fake-${request.nth}`,
    object: "chat.completion",
    created: 0,
    model: request.model,
    choices: [{ index: 0, message, finish_reason: asked === undefined ? "stop" : "tool_calls" }],
    usage: {
      prompt_tokens: promptTokens,
      completion_tokens: fakeTokens(written),
      total_tokens: promptTokens + fakeTokens(written),
    } as Record<string, unknown>,
  };
}
type FakeCompletion = ReturnType<typeof completionOf>;

function answer(response: ServerResponse, good: FakeCompletion, fault: FakeFault | null): unknown {
  const text = JSON.stringify(good);
  if (fault === null) return send(response, 200, text);
  switch (fault.kind) {
    case "status":
      return sendError(response, fault.status, fault.message ?? `status ${fault.status}`, fault.code ?? null, fault.headers);
    case "context-length":
      return sendError(response, 400, "This model's maximum context length is 8192 tokens.", "context_length_exceeded");
    case "close":
      return response.socket?.destroy();
    case "stall":
      return;
    case "reset":
      return begin(response, text).write(text.slice(0, text.length / 2), () => response.socket?.destroy());
    case "stall-in-body":
      return begin(response, text).write(text.slice(0, 10));
    case "drip":
      return drip(begin(response, text), text, fault.everyMs);
    case "huge":
      return huge(response, fault.bytes);
    case "html":
      return send(response, 200, "<!doctype html><title>Sign in</title>", "text/html");
    case "finish":
      return send(
        response,
        200,
        JSON.stringify({ ...good, choices: good.choices.map((choice) => ({ ...choice, finish_reason: fault.reason })) }),
      );
    default:
      return send(response, 200, spoiled(text, good, fault.kind));
  }
}

function spoiled(text: string, good: FakeCompletion, kind: SpoiledKind): string {
  const withContent = (content: string | null) => good.choices.map((choice) => ({ ...choice, message: { ...choice.message, content } }));
  const bodies: Record<SpoiledKind, () => string> = {
    "empty-body": () => "",
    "half-json": () => text.slice(0, text.length / 2),
    "no-choices": () => JSON.stringify({ ...good, choices: [] }),
    "content-null": () => JSON.stringify({ ...good, choices: withContent(null) }),
    "content-empty": () => JSON.stringify({ ...good, choices: withContent("") }),
    "no-usage": () => JSON.stringify({ ...good, usage: undefined }),
    "nan-tokens": () => text.replace(/"completion_tokens":\d+/, '"completion_tokens":NaN'),
    "odd-usage": () => JSON.stringify({ ...good, usage: { prompt_tokens: "12", completion_tokens: -3 } }),
    "error-with-200": () => JSON.stringify({ error: { message: "the upstream is overloaded", code: 502 } }),
    "proto-keys": () => text.replace("{", '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},'),
  };
  return bodies[kind]();
}

/** The same reply as OpenAI streams it: role, pieces of a few characters, the reason, the usage when asked for, `[DONE]`. */
function stream(response: ServerResponse, { usage, choices, ...head }: FakeCompletion): void {
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
  const push = (value: unknown): void => void response.write(`data: ${JSON.stringify(value)}\n\n`);
  const chunk = (delta: unknown, finish_reason: string | null = null): void =>
    push({ ...head, object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason }], usage: null });
  const pieces = (text: string): string[] => text.match(/[\s\S]{1,7}/g) ?? [];
  const [choice] = choices;
  if (choice === undefined) return void response.end();
  const { message } = choice;
  chunk({ role: "assistant", content: "" });
  for (const piece of pieces(message.reasoning_content ?? "")) chunk({ reasoning_content: piece });
  for (const piece of pieces(message.content ?? "")) chunk({ content: piece });
  for (const [index, call] of (message.tool_calls ?? []).entries()) {
    chunk({ tool_calls: [{ index, id: call.id, type: "function", function: { name: call.function.name, arguments: "" } }] });
    for (const piece of pieces(call.function.arguments)) chunk({ tool_calls: [{ index, function: { arguments: piece } }] });
  }
  chunk({}, choice.finish_reason);
  push({ ...head, object: "chat.completion.chunk", choices: [], usage });
  response.end(": that was all\n\ndata: [DONE]\n\n");
}

function send(response: ServerResponse, status: number, text: string, type = "application/json"): void {
  response.writeHead(status, { "content-type": type, "content-length": Buffer.byteLength(text) }).end(text);
}

function sendError(
  response: ServerResponse,
  status: number,
  message: string,
  code: string | null,
  headers: Record<string, string> = {},
): void {
  response
    .writeHead(status, { "content-type": "application/json", ...headers })
    .end(JSON.stringify({ error: { message, type: "fake", code } }));
}

function sendModels(response: ServerResponse, models: readonly string[]): void {
  send(
    response,
    200,
    JSON.stringify({ object: "list", data: models.map((id) => ({ id, object: "model", created: 0, owned_by: "fake" })) }),
  );
}

const begin = (response: ServerResponse, text: string): ServerResponse =>
  response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(text) });

function drip(response: ServerResponse, text: string, everyMs: number): void {
  let at = 0;
  const timer = setInterval(() => {
    if (response.destroyed || at >= text.length) clearInterval(timer);
    else if (at === text.length - 1) response.end(text.slice(at++));
    else response.write(text.slice(at, ++at));
  }, everyMs);
}

function huge(response: ServerResponse, bytes: number): void {
  const block = Buffer.alloc(1 << 20, 32);
  let left = bytes;
  const more = (): void => {
    while (left > 0 && !response.destroyed) {
      left -= block.length;
      if (!response.write(block)) return void response.once("drain", more);
    }
    response.end();
  };
  response.writeHead(200, { "content-type": "application/json" });
  more();
}
