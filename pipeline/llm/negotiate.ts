import { join } from "node:path";
import { z } from "zod";
import { type Completion, type Reply, ReplyTransport } from "../../schemas/completion.ts";
import { Fault } from "../../schemas/fault.ts";
import { writeTextAtomically } from "../store/atomic.ts";
import { digestOf } from "../store/digest.ts";
import { jsonOf, readTextIfThere } from "../store/run-folder.ts";
import { type EndpointSettings, normaliseBaseUrl } from "./endpoint.ts";
import type { KeptReply } from "./reply-format.ts";
import { type WireRequest, wireRequest } from "./request.ts";

/**
 * Which way of asking for a JSON object an endpoint takes. A refusal may be about the way or about the request (too long), and messages
 * differ by server, so they are not read: when another way goes through for the same request, the first was refused for itself. Refusals
 * cost nothing; while nothing is known one request alone finds out and the others wait.
 */
export interface Memo {
  /** The way that went through last time, possibly in another process. */
  works(): Promise<ReplyTransport | null>;
  learn(transport: ReplyTransport): Promise<void>;
}

const MemoFile = z.record(z.string(), ReplyTransport);

/** Remembers per run and endpoint, in `<folder>/transport.json`. */
export function fileMemo(folder: string, settings: EndpointSettings): Memo {
  const path = join(folder, "transport.json");
  const endpoint = digestOf({ baseUrl: normaliseBaseUrl(settings.baseUrl), model: settings.model }).slice(0, 16);
  const read = async (): Promise<z.infer<typeof MemoFile>> => {
    const text = await readTextIfThere(path);
    return MemoFile.safeParse(text === null ? null : jsonOf(text)).data ?? {};
  };
  return {
    works: async () => (await read())[endpoint] ?? null,
    learn: async (transport) => {
      const before = await read();
      if (before[endpoint] !== transport) await writeTextAtomically(path, `${JSON.stringify({ ...before, [endpoint]: transport })}\n`);
    },
  };
}

export interface Ways {
  readonly settings: EndpointSettings;
  readonly memo: Memo;
  /** What remembers say is believed without trying: a refusal is then about the request. For results that come in later. */
  readonly trustMemo: boolean;
  /** The kept reply, or null; sends nothing. */
  kept(wire: WireRequest): Promise<KeptReply | null>;
  answer(wire: WireRequest): Promise<Reply>;
}

const isRefusal = (error: unknown): boolean => error instanceof Fault && error.code === "REQUEST_REFUSED";

/** Answers requests with and without `structure`. */
export function negotiated(ways: Ways): (request: Completion) => Promise<Reply> {
  const { settings, memo } = ways;
  let settled: ReplyTransport | null = null;
  let deciding: Promise<unknown> | null = null;

  const by = async (request: Completion, transport: ReplyTransport): Promise<Reply> => ({
    ...(await ways.answer(wireRequest(settings, request, transport))),
    transport,
  });

  /** Tries one way after the other; the one that goes through is settled. */
  async function tryAll(request: Completion, order: readonly ReplyTransport[]): Promise<Reply> {
    for (const [index, transport] of order.entries()) {
      try {
        const reply = await by(request, transport);
        settled = transport;
        await memo.learn(transport);
        return reply;
      } catch (error) {
        if (!isRefusal(error) || index === order.length - 1) throw error;
      }
    }
    throw new Error("a structure without a transport");
  }

  async function undecided(request: Completion, transports: readonly ReplyTransport[]): Promise<Reply> {
    const remembered = await memo.works();
    if (ways.trustMemo && remembered !== null) settled = remembered;
    for (const transport of transports)
      if ((await ways.kept(wireRequest(settings, request, transport))) !== null) return by(request, transport); // an earlier run has paid for it
    while (deciding !== null) await deciding;
    if (settled !== null && transports.includes(settled)) return by(request, settled);
    const own = tryAll(
      request,
      [...transports].sort((a, b) => Number(b === remembered) - Number(a === remembered)),
    );
    deciding = own
      .catch(() => undefined)
      .finally(() => {
        deciding = null;
      });
    return own;
  }

  return async (request) => {
    if (request.structure == null) return ways.answer(wireRequest(settings, request));
    const { transports } = request.structure;
    const [only] = transports;
    if (only !== undefined && transports.length === 1) return by(request, only);
    if (settled !== null && transports.includes(settled)) return by(request, settled);
    return undecided(request, transports);
  };
}
