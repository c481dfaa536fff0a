import { randomBytes } from "node:crypto";
import { Completion, type Reply } from "../../schemas/completion.ts";
import { placeholderOf } from "../../stages/lib/secrets/placeholder.ts";
import { createValueFinder } from "../../stages/lib/secrets/value-finder.ts";
import { createAdmission } from "./admission.ts";
import { createBudget } from "./budget.ts";
import { type Client, createClient } from "./client.ts";
import { checkEndpoint, type EndpointSettings } from "./endpoint.ts";
import { createCircuit, createHalt, drained } from "./halt.ts";
import { type Ledger, type LedgerTotals, openLedger } from "./ledger.ts";
import { openReplies, type Replies } from "./replies.ts";
import type { KeptReply } from "./reply-format.ts";
import { type WireRequest, wireRequest } from "./request.ts";
import { realWorld, type World } from "./retry.ts";
import { openTransport } from "./transport.ts";

export interface BackboneOptions {
  readonly settings: EndpointSettings;
  /** Shared by all runs. */
  readonly cacheDir: string;
  /** Of this run. */
  readonly ledgerDir: string;
  countTokens(text: string): number;
  /** Secrets of our own, in every form they may take: none leaves in a request. */
  readonly own?: readonly string[];
  /** Aborting drains: queued calls and pauses end at once, calls in flight may finish. */
  readonly signal: AbortSignal;
  /** After draining began, calls in flight are cut off, ms. */
  readonly drainMs?: number;
  readonly world?: Partial<World>;
}

/** The model behind `Ports.complete`: a paid reply is never paid twice, limits hold, every attempt is in the ledger. */
export interface Backbone {
  complete(request: Completion): Promise<Reply>;
  /** Of the whole run: what the ledger held before, and since. */
  totals(): LedgerTotals;
  /** Calls that may be in flight at this moment; follows what the endpoint bears. */
  placesNow(): number;
  /** Waits for calls in flight. */
  close(): Promise<void>;
}

/** Schedulers kill 30 s after the first signal; what was in flight has to be on disk by then. */
const defaultDrainMs = 25_000;

export async function openBackbone(options: BackboneOptions): Promise<Backbone> {
  const { settings } = options;
  checkEndpoint(settings);
  const writer = randomBytes(8).toString("hex");
  const world = { ...realWorld, ...options.world };
  const halt = createHalt(options.drainMs ?? defaultDrainMs);
  const ledger = await openLedger(options.ledgerDir, writer);
  const replies = openReplies(options.cacheDir, writer);
  const transport = openTransport(settings);
  const budget = createBudget(settings, ledger.totals, halt);
  const circuit = createCircuit();
  const admission = createAdmission(settings.concurrency, halt);
  const { countTokens } = options;
  const client = createClient({ settings, transport, replies, ledger, budget, halt, circuit, admission, world, countTokens });
  const drain = (): void => halt.stop(drained());
  options.signal.addEventListener("abort", drain, { once: true });
  if (options.signal.aborted) drain();
  return {
    complete: sharedCompletions({ settings, replies, ledger, client, world, hide: hider(options.own ?? []) }),
    placesNow: admission.limit.now,
    totals: ledger.totals,
    async close() {
      await admission.idle();
      options.signal.removeEventListener("abort", drain);
      halt.close();
      await Promise.all([transport.close(), replies.close(), ledger.close()]);
    },
  };
}

interface CompletionParts {
  readonly settings: EndpointSettings;
  readonly replies: Replies;
  readonly ledger: Ledger;
  readonly client: Client;
  readonly world: World;
  hide(text: string): string;
}

/** Exact matches only: requests are made of scrubbed rows, but prompts of the user's and what a live agent sees come here, too. */
function hider(own: readonly string[]): (text: string) => string {
  if (own.length === 0) return (text) => text;
  const finder = createValueFinder(own);
  return (text) =>
    finder
      .find(text)
      .reduceRight((rest, { start, end }) => rest.slice(0, start) + placeholderOf("SECRET", "own-secret", 1) + rest.slice(end), text);
}

function withoutOwn(request: Completion, hide: (text: string) => string): Completion {
  const messages = request.messages.map((message) =>
    message.role === "assistant"
      ? { ...message, content: hide(message.content), calls: message.calls.map((call) => ({ ...call, arguments: hide(call.arguments) })) }
      : { ...message, content: hide(message.content) },
  );
  return { ...request, messages, tools: request.tools.map(hide) };
}

/** The cache first, which needs no place in line; equal requests at the same time share one call. */
function sharedCompletions({ settings, replies, ledger, client, world, hide }: CompletionParts): (request: Completion) => Promise<Reply> {
  const inFlight = new Map<string, Promise<Reply>>();
  const asCached = async (wire: WireRequest, reply: KeptReply): Promise<Reply> => {
    await ledger.record(cachedRow(wire, world.now()));
    return { ...reply, cached: true };
  };
  const answer = async (wire: WireRequest): Promise<Reply> => {
    const known = await replies.get(wire.key);
    if (known !== null) return asCached(wire, known);
    return { ...(await client.call(wire)), cached: false };
  };
  return async (request) => {
    const wire = wireRequest(settings, withoutOwn(Completion.parse(request), hide));
    const shared = inFlight.get(wire.key);
    if (shared !== undefined) return asCached(wire, await shared);
    const own = answer(wire);
    inFlight.set(wire.key, own);
    try {
      return await own;
    } finally {
      inFlight.delete(wire.key);
    }
  };
}

const cachedRow = ({ request, key }: WireRequest, now: number) =>
  ({
    time: new Date(now).toISOString(),
    label: request.label,
    key,
    attempt: 0,
    outcome: "cached",
    status: null,
    tokensIn: 0,
    tokensOut: 0,
    usage: "none",
    cost: null,
    latencyMs: 0,
    cached: true,
  }) as const;
