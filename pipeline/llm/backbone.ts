import { randomBytes } from "node:crypto";
import { dirname } from "node:path";
import { Completion, type Reply } from "../../schemas/completion.ts";
import { createAdmission } from "./admission.ts";
import { createBudget } from "./budget.ts";
import { type Client, createClient } from "./client.ts";
import { checkEndpoint, type EndpointSettings } from "./endpoint.ts";
import { createCircuit, createHalt, drained } from "./halt.ts";
import { hider, withoutOwn } from "./hide-own.ts";
import { type Ledger, type LedgerTotals, openLedger } from "./ledger.ts";
import { fileMemo, type Memo, negotiated } from "./negotiate.ts";
import { openReplies, type Replies } from "./replies.ts";
import type { KeptReply } from "./reply-format.ts";
import type { WireRequest } from "./request.ts";
import { realWorld, type World } from "./retry.ts";
import { openTransport } from "./transport.ts";

export interface BackboneOptions {
  readonly settings: EndpointSettings;
  /** Shared by all runs. */
  readonly cacheDir: string;
  /** Of this run; what else is remembered per run lies in the folder above it. */
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
    complete: sharedCompletions({
      settings,
      replies,
      ledger,
      client,
      world,
      memo: fileMemo(dirname(options.ledgerDir), settings),
      hide: hider(options.own ?? []),
    }),
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
  readonly memo: Memo;
  hide(text: string): string;
}

/** The cache first, which needs no place in line; equal requests at the same time share one call. */
function sharedCompletions(parts: CompletionParts): (request: Completion) => Promise<Reply> {
  const { settings, replies, ledger, client, world, memo, hide } = parts;
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
  const answerOnce = async (wire: WireRequest): Promise<Reply> => {
    const running = inFlight.get(wire.key);
    if (running !== undefined) return asCached(wire, await running);
    const own = answer(wire);
    inFlight.set(wire.key, own);
    try {
      return await own;
    } finally {
      inFlight.delete(wire.key);
    }
  };
  const complete = negotiated({ settings, memo, trustMemo: false, kept: (wire) => replies.get(wire.key), answer: answerOnce });
  return (request) => complete(withoutOwn(Completion.parse(request), hide));
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
