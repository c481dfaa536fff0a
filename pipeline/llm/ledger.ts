import { createReadStream } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { z } from "zod";
import { Fault } from "../../schemas/fault.ts";
import { openAppendFile } from "../store/append-file.ts";

export const CallOutcome = z.enum([
  "answered",
  "cached",
  "unreachable",
  "broken-off",
  "timed-out",
  "aborted",
  "rate-limited",
  "unavailable",
  "unauthorised",
  "no-quota",
  "refused",
  "not-a-completion",
  "truncated",
  "filtered",
  "too-large",
  "wrong-model",
]);
export type CallOutcome = z.infer<typeof CallOutcome>;

const Money = z.strictObject({ amount: z.number().nonnegative(), currency: z.string() });

/** One attempt, or one answer from the cache. The only place with clocks: ledgers are not compared between runs. */
export const LedgerRow = z.strictObject({
  /** ISO 8601, when the attempt ended. */
  time: z.string(),
  label: z.string(),
  key: z.string(),
  /** 1, 2, ...; 0 for the cache. */
  attempt: z.int().nonnegative(),
  outcome: CallOutcome,
  /** HTTP status; null when none came. */
  status: z.int().nullable(),
  tokensIn: z.int().nonnegative(),
  tokensOut: z.int().nonnegative(),
  /** `estimated`: the endpoint did not say, and may have billed; ours is a guess. `none`: nothing can have been billed. */
  usage: z.enum(["reported", "estimated", "none"]),
  /** Null when the price is unknown. */
  cost: Money.nullable(),
  latencyMs: z.number().nonnegative(),
  cached: z.boolean(),
});
export type LedgerRow = z.infer<typeof LedgerRow>;

export const LedgerTotals = z.strictObject({
  /** Attempts sent to the endpoint, failed ones included. */
  calls: z.int().nonnegative(),
  /** Answers from the cache. */
  cached: z.int().nonnegative(),
  tokensIn: z.int().nonnegative(),
  tokensOut: z.int().nonnegative(),
  /** Sum over attempts with a cost in this currency; null when there is none. */
  cost: Money.nullable(),
  /** Attempts with billed tokens that are not in `cost`: no price, or another currency. */
  unpriced: z.int().nonnegative(),
  /** Lines that could not be read, for instance one torn by a crash. */
  badLines: z.int().nonnegative(),
});
export type LedgerTotals = z.infer<typeof LedgerTotals>;

export const noCalls: LedgerTotals = { calls: 0, cached: 0, tokensIn: 0, tokensOut: 0, cost: null, unpriced: 0, badLines: 0 };

/** What was asked and what it cost, in `<folder>/<writer>.jsonl`. */
export interface Ledger {
  record(row: LedgerRow): Promise<void>;
  /** Everything in the folder when it was opened, and what was recorded since. */
  totals(): LedgerTotals;
  close(): Promise<void>;
}

export async function openLedger(folder: string, writer: string): Promise<Ledger> {
  let totals = await readLedger(folder);
  const file = openAppendFile({ folder, writer, durable: false });
  return {
    async record(row) {
      totals = plus(totals, row); // before the write, so that a budget sees it at once
      await file.append(JSON.stringify(LedgerRow.parse(row)));
    },
    totals: () => totals,
    close: () => file.close(),
  };
}

/** Sums all ledgers of a run, line by line; a folder that is not there is an empty one. */
export async function readLedger(folder: string): Promise<LedgerTotals> {
  let totals = noCalls;
  for await (const { row } of ledgerRows(folder)) totals = row === null ? { ...totals, badLines: totals.badLines + 1 } : plus(totals, row);
  return totals;
}

/** Every line of every ledger of a run, writer after writer, in the order written; null: it could not be read. */
export async function* ledgerRows(folder: string): AsyncGenerator<{ readonly writer: string; readonly row: LedgerRow | null }> {
  try {
    for (const writer of (await readdir(folder)).filter((one) => one.endsWith(".jsonl")).sort())
      for await (const text of createInterface({ input: createReadStream(join(folder, writer)), crlfDelay: Number.POSITIVE_INFINITY }))
        yield { writer, row: parsedRow(text) };
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return;
    const why = error instanceof Error ? error.message : String(error);
    throw new Fault("IO", "stop", `could not read the ledger in ${folder}: ${why}; fix the permissions and run again`, { cause: error });
  }
}

function parsedRow(text: string): LedgerRow | null {
  try {
    return LedgerRow.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null; // counted by the caller
  }
}

function plus(totals: LedgerTotals, row: LedgerRow): LedgerTotals {
  if (row.cached) return { ...totals, cached: totals.cached + 1 };
  const sameCurrency = row.cost !== null && (totals.cost === null || totals.cost.currency === row.cost.currency);
  const billed = row.tokensIn + row.tokensOut > 0;
  return {
    ...totals,
    calls: totals.calls + 1,
    tokensIn: totals.tokensIn + row.tokensIn,
    tokensOut: totals.tokensOut + row.tokensOut,
    cost: row.cost !== null && sameCurrency ? { ...row.cost, amount: (totals.cost?.amount ?? 0) + row.cost.amount } : totals.cost,
    unpriced: totals.unpriced + (billed && !sameCurrency ? 1 : 0),
  };
}
