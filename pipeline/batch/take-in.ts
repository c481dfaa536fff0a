import type { BatchEntry, BatchRead, BatchSettled } from "../../schemas/batch.ts";
import { type Attempt, attemptOf, consequences, type FailedOutcome } from "../llm/attempt.ts";
import { costOf } from "../llm/budget.ts";
import { type EndpointSettings, redact } from "../llm/endpoint.ts";
import type { Ledger, LedgerRow } from "../llm/ledger.ts";
import type { Memo } from "../llm/negotiate.ts";
import type { Replies } from "../llm/replies.ts";
import type { WireReply } from "../llm/transport.ts";
import { type ResultLine, resultsIn } from "./results.ts";
import type { Waves } from "./waves.ts";

export interface TakeInParts {
  readonly settings: EndpointSettings;
  readonly replies: Replies;
  readonly ledger: Ledger;
  readonly memo: Memo;
  readonly waves: Waves;
  readonly settled: { add(one: BatchSettled): Promise<void> };
  countTokens(text: string): number;
  now(): number;
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value ?? null));

/** The code and words of an error, in the shapes that servers use: `{code, message}`, `{error: {code, message}}`, text. */
function errorIn(value: unknown): { code: string | null; detail: string } {
  const inner = typeof value === "object" && value !== null && "error" in value ? value.error : value;
  const { code, message } = (typeof inner === "object" && inner !== null ? inner : {}) as { code?: unknown; message?: unknown };
  return { code: typeof code === "string" ? code : null, detail: textOf(message ?? inner).slice(0, 300) };
}

/** A result as if it had come over the wire. */
function wireOf({ response, error }: ResultLine): WireReply {
  const status = response?.status_code ?? (error === null || error === undefined ? 200 : null);
  if (response != null && status === 200) return { kind: "ok", status, text: textOf(response.body) };
  const { code, detail } = errorIn(error ?? response?.body);
  // Expired, cancelled, never sent: as when no server was there.
  if (status === null) return { kind: "failed", failure: "unreachable", detail: [code, detail].filter((one) => one !== null).join(": ") };
  return { kind: "refused", status, headers: new Headers(), code, detail };
}

/** `org/name` is served as `name`, `name` as `name-2024-08-06`, and vLLM names a folder. */
export function sameModel(asked: string, said: string): boolean {
  const [a, b] = [asked, said].map(
    (name) =>
      name
        .toLowerCase()
        .split("/")
        .filter((part) => part !== "")
        .at(-1) ?? "",
  ) as [string, string];
  return a === b || a.startsWith(`${b}-`) || b.startsWith(`${a}-`) || a.startsWith(`${b}:`) || b.startsWith(`${a}:`);
}

/** How it ended, with the checks that replies over the wire go through, and whether the right model has answered. */
function attemptIn(line: ResultLine, entry: BatchEntry, now: number): Attempt {
  const ended = attemptOf(wireOf(line), { model: entry.model, tools: entry.withTools ? [] : undefined }, now, entry.transport !== "text");
  if (ended.outcome !== "answered" || sameModel(entry.model, ended.reply.model)) return ended;
  return { ...ended, outcome: "wrong-model", detail: `expected a reply by ${entry.model}, ${ended.reply.model} has answered` };
}

function ledgerRow(parts: TakeInParts, entry: BatchEntry, ended: Attempt): LedgerRow {
  const mayBill = ended.outcome === "answered" || consequences[ended.outcome].mayBill;
  const written = ended.outcome === "answered" ? ended.reply.text + ended.reply.calls.map((call) => call.arguments).join("") : "";
  const tokensIn = mayBill ? (ended.usage.tokensIn ?? entry.promptTokens) : 0;
  const tokensOut = mayBill ? (ended.usage.tokensOut ?? parts.countTokens(written)) : 0;
  const reported = ended.usage.tokensIn !== null && ended.usage.tokensOut !== null;
  return {
    time: new Date(parts.now()).toISOString(),
    label: entry.label,
    key: entry.key,
    attempt: 1,
    outcome: ended.outcome,
    status: ended.status,
    tokensIn,
    tokensOut,
    usage: mayBill ? (reported ? "reported" : "estimated") : "none",
    cost: costOf(parts.settings, tokensIn, tokensOut),
    latencyMs: 0,
    cached: false,
  };
}

const settledAs = (outcome: FailedOutcome): BatchSettled["outcome"] => (outcome === "refused" ? "refused" : "failed");
const mostProblems = 20;

type Taken = Omit<BatchRead, "run" | "open">;

/** Takes one result in: kept, booked, settled, in this order. A crash in between may book one result twice; none is lost or asked again. */
async function takeOne(parts: TakeInParts, line: ResultLine, entry: BatchEntry, taken: Taken): Promise<void> {
  const ended = attemptIn(line, entry, parts.now());
  const row = ledgerRow(parts, entry, ended);
  if (ended.outcome === "answered") {
    await parts.replies.put(entry.key, ended.reply);
    if (entry.structured) await parts.memo.learn(entry.transport);
  }
  await parts.ledger.record(row);
  const outcome = ended.outcome === "answered" ? "answered" : settledAs(ended.outcome);
  await parts.settled.add({ id: entry.id, key: entry.key, outcome });
  taken[outcome] += 1;
  taken.tokensIn += row.tokensIn;
  taken.tokensOut += row.tokensOut;
  if (row.cost !== null) taken.cost = { amount: (taken.cost?.amount ?? 0) + row.cost.amount, currency: row.cost.currency };
  if (ended.outcome !== "answered" && taken.problems.length < mostProblems)
    taken.problems.push({ id: entry.id, label: entry.label, outcome: ended.outcome, detail: redact(ended.detail, parts.settings.apiKey) });
}

/** Takes checked result files into the reply cache and the ledger. A result that was read before is passed over. */
export async function takeIn(parts: TakeInParts, paths: readonly string[]): Promise<Taken> {
  const taken: Taken = { answered: 0, refused: 0, failed: 0, known: 0, problems: [], tokensIn: 0, tokensOut: 0, cost: null };
  for (const path of paths)
    for await (const line of resultsIn(path)) {
      const entry = parts.waves.entries.get(line.custom_id);
      if (entry === undefined) throw new Error(`${line.custom_id} was checked and is unknown`);
      if (parts.waves.settled.has(entry.id)) taken.known += 1;
      else await takeOne(parts, line, entry, taken);
    }
  return taken;
}
