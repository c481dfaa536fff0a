import type { ChatMessage, ToolCall } from "../../schemas/completion.ts";
import { Fault } from "../../schemas/fault.ts";
import type { Admission } from "./admission.ts";
import { type Attempt, attemptOnce, consequences, type FailedOutcome } from "./attempt.ts";
import { type Budget, costOf } from "./budget.ts";
import { type EndpointSettings, redact } from "./endpoint.ts";
import { type Circuit, type Halt, unreachable } from "./halt.ts";
import type { Ledger, LedgerRow } from "./ledger.ts";
import type { Replies } from "./replies.ts";
import type { KeptReply } from "./reply-format.ts";
import { messagesFor, type WireRequest } from "./request.ts";
import { backoffMs, type World } from "./retry.ts";
import type { Transport } from "./transport.ts";

export interface ClientParts {
  readonly settings: EndpointSettings;
  readonly transport: Transport;
  readonly replies: Replies;
  readonly ledger: Ledger;
  readonly budget: Budget;
  readonly halt: Halt;
  readonly circuit: Circuit;
  readonly admission: Admission;
  readonly world: World;
  countTokens(text: string): number;
}

/** Calls the endpoint until it answers, the attempts are used up, or nothing more may be sent. Every attempt is in the ledger. */
export interface Client {
  call(wire: WireRequest): Promise<KeptReply>;
}

export function createClient(parts: ClientParts): Client {
  const { settings, halt, world } = parts;
  let notBefore = 0; // epoch ms; a Retry-After holds for all calls, not only for the one that was told
  async function pause(ms: number): Promise<void> {
    if (ms > 0) await world.sleep(ms, halt.signal);
    halt.check();
  }
  async function gate(): Promise<void> {
    for (let until = 0; until < notBefore; ) {
      until = notBefore;
      await pause(until - world.now());
    }
  }
  return {
    async call(wire) {
      for (let attempt = 1; ; attempt += 1) {
        await gate(); // what must wait anyhow takes nobody's place
        const ended = await parts.admission.wait(async () => {
          await gate();
          return paidAttempt(parts, wire, attempt);
        }, attempt);
        if (ended.outcome === "answered") return ended.reply;
        const askedMs = ended.retryAfterMs ?? 0;
        notBefore = Math.max(notBefore, world.now() + askedMs);
        const { again } = consequences[ended.outcome];
        if (again) halt.check(); // else what came is final, whatever happened meanwhile
        if (!again || attempt >= settings.maxAttempts) throw giveUp(parts, wire, attempt, ended);
        await pause(askedMs + backoffMs(attempt, world.random));
      }
    },
  };
}

/** One attempt with its reservation, its place in the cache and its line in the ledger. */
async function paidAttempt(parts: ClientParts, wire: WireRequest, attempt: number): Promise<Attempt> {
  const { settings, transport, replies, budget, halt, circuit, admission, world } = parts;
  const promptTokens = once(() => estimatedTokens(wire, parts.countTokens));
  const release = await budget.reserve(budget.limited ? promptTokens() : 0, wire.request.maxTokens);
  try {
    halt.check();
    const tickets = { circuit: circuit.ticket(), limit: admission.limit.ticket() };
    const startedAt = world.now();
    const ended = await attemptOnce(transport, wire.body, {
      timeoutMs: settings.timeoutMs,
      hardSignal: halt.hardSignal,
      world,
      structured: wire.transport !== "text",
    });
    const row = ledgerRow(parts, wire, ended, { attempt, latencyMs: Math.max(0, world.now() - startedAt), promptTokens });
    try {
      // Kept before it is booked: after a crash in between, a line is missing in the ledger, but nothing is paid twice.
      if (ended.outcome === "answered") await replies.put(wire.key, ended.reply);
    } finally {
      await parts.ledger.record(row);
    }
    judge(parts, ended, tickets);
    return ended;
  } finally {
    release();
  }
}

/** Tells limit and circuit how it went, and stops everything when going on is pointless. */
function judge({ settings, halt, circuit, admission }: ClientParts, ended: Attempt, tickets: { circuit: number; limit: number }): void {
  if (ended.outcome === "aborted") return; // our doing
  if (ended.outcome === "rate-limited") admission.limit.overloaded(tickets.limit);
  else if (ended.outcome === "answered") admission.limit.answered();
  const lost = ended.outcome !== "answered" && consequences[ended.outcome].transport;
  if (!lost) circuit.succeeded();
  else if (circuit.failed(tickets.circuit, ended.outcome === "timed-out")) {
    halt.stop(unreachable(settings.baseUrl, redact(`${ended.outcome}, ${ended.detail}`, settings.apiKey)));
  }
}

type Failed = Extract<Attempt, { outcome: FailedOutcome }>;

function giveUp({ settings, halt }: ClientParts, wire: WireRequest, attempts: number, ended: Failed): Fault {
  const { code, remedy } = consequences[ended.outcome];
  const where = `${settings.model} at ${settings.baseUrl} for ${wire.request.label}`;
  const what = `expected a chat completion from ${where}, got ${ended.outcome}${ended.status === null ? "" : ` (HTTP ${ended.status})`}`;
  const message = redact(
    `${what} after ${attempts} of ${settings.maxAttempts} attempts: ${ended.detail}; ${advice[ended.outcome]}`,
    settings.apiKey,
  );
  const fault = new Fault(code, remedy, message);
  if (remedy === "stop") halt.stop(fault);
  return fault;
}

const waitAndRetry = "run again later, or lower llm.concurrency";
const advice: Readonly<Record<FailedOutcome, string>> = {
  unreachable: "check that the endpoint runs and llm.baseUrl is right",
  "broken-off": waitAndRetry,
  "timed-out": "raise llm.timeoutMs, or lower llm.concurrency",
  aborted: "run again to go on",
  "rate-limited": waitAndRetry,
  unavailable: waitAndRetry,
  unauthorised: "check the API key, llm.baseUrl (it usually ends in /v1) and llm.model",
  "no-quota": "the account has no quota left: top it up and run again",
  refused: "the record is left out; if all are refused, check llm.extraBody and the model's context length",
  "not-a-completion": "if all replies are like this, llm.baseUrl is no chat endpoint",
  truncated: "allow longer replies",
  filtered: "the endpoint's content filter refused; the record is left out",
  "wrong-model": "check llm.model, and which model the results are of",
  "too-large": "no honest reply is that large; check the endpoint",
};

interface AttemptFacts {
  readonly attempt: number;
  readonly latencyMs: number;
  promptTokens(): number;
}

function ledgerRow({ settings, world, countTokens }: ClientParts, wire: WireRequest, ended: Attempt, facts: AttemptFacts): LedgerRow {
  const { usage: reported, outcome, status } = ended;
  const mayBill = ended.outcome === "answered" || consequences[ended.outcome].mayBill;
  const guessedOut = (): number => (ended.outcome === "answered" ? countTokens(writtenText(ended.reply)) : 0);
  const tokensIn = mayBill ? (reported.tokensIn ?? facts.promptTokens()) : 0;
  const tokensOut = mayBill ? (reported.tokensOut ?? guessedOut()) : 0;
  const complete = reported.tokensIn !== null && reported.tokensOut !== null;
  return {
    time: new Date(world.now()).toISOString(),
    label: wire.request.label,
    key: wire.key,
    attempt: facts.attempt,
    outcome,
    status,
    tokensIn,
    tokensOut,
    usage: mayBill ? (complete ? "reported" : "estimated") : "none",
    cost: costOf(settings, tokensIn, tokensOut),
    latencyMs: facts.latencyMs,
    cached: false,
  };
}

/** Role and separators that chat templates put around each message; 4 to 7 in the templates we know. */
const tokensPerMessage = 8;

/** What a request takes, by our count. */
export const estimatedTokens = (wire: WireRequest, countTokens: (text: string) => number): number =>
  [...messagesFor(wire.request, wire.transport).map(sentText), ...wire.request.tools, ...structureTexts(wire)].reduce(
    (sum, text) => sum + tokensPerMessage + countTokens(text),
    0,
  );

const structureTexts = ({ request, transport }: WireRequest): string[] =>
  request.structure == null || transport === "text" ? [] : [request.structure.schema];
const callsText = (calls: readonly ToolCall[]): string => calls.map((call) => `${call.name}${call.arguments}`).join("");
const sentText = (message: ChatMessage): string => message.content + (message.role === "assistant" ? callsText(message.calls) : "");
const writtenText = (reply: KeptReply): string => (reply.reasoning ?? "") + reply.text + callsText(reply.calls);

function once(count: () => number): () => number {
  let known: number | null = null;
  return () => {
    known ??= count();
    return known;
  };
}
