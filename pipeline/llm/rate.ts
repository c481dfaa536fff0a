import { ledgerRows } from "./ledger.ts";

/** What the calls of a stage came to, by ledgers. */
export interface Measured {
  /** Calls that were answered. */
  readonly calls: number;
  /** Time with at least one call in flight, failed ones included; and the sum over calls. Seconds. */
  readonly busySeconds: number;
  readonly callSeconds: number;
  /** As billed for the answered calls. */
  readonly tokensIn: number;
  readonly tokensOut: number;
}

const none: Measured = { calls: 0, busySeconds: 0, callSeconds: 0, tokensIn: 0, tokensOut: 0 };

/**
 * The length of a union of intervals that come in order of their ends, as a ledger has them: only what a later call reaches back into is
 * merged. Holds the gaps.
 */
class Busy {
  private readonly spans: { from: number; to: number }[] = [];

  add(from: number, to: number): void {
    let start = from;
    let end = to;
    for (let last = this.spans.at(-1); last !== undefined && last.to >= start; last = this.spans.at(-1)) {
      start = Math.min(start, last.from);
      end = Math.max(end, last.to);
      this.spans.pop();
    }
    this.spans.push({ from: start, to: end });
  }

  total(): number {
    return this.spans.reduce((sum, { from, to }) => sum + to - from, 0);
  }
}

/**
 * Reads the ledgers of a folder, for calls whose label begins with one of `prefixes`. Pauses between processes are no busy time, and
 * results of offline batches, which took no time here, are no calls.
 */
export async function measuredCalls(folder: string, prefixes: readonly string[]): Promise<Measured> {
  let sum = none;
  const busy = new Map<string, Busy>();
  for await (const { writer, row } of ledgerRows(folder)) {
    const end = row === null ? Number.NaN : Date.parse(row.time);
    if (row === null || row.cached || row.latencyMs === 0 || Number.isNaN(end)) continue;
    if (!prefixes.some((prefix) => row.label.startsWith(prefix))) continue;
    const own = busy.get(writer) ?? new Busy();
    busy.set(writer, own);
    own.add(end - row.latencyMs, end);
    const callSeconds = sum.callSeconds + row.latencyMs / 1000;
    const answered = row.outcome === "answered";
    sum = answered
      ? { ...sum, calls: sum.calls + 1, callSeconds, tokensIn: sum.tokensIn + row.tokensIn, tokensOut: sum.tokensOut + row.tokensOut }
      : { ...sum, callSeconds };
  }
  return { ...sum, busySeconds: [...busy.values()].reduce((seconds, one) => seconds + one.total() / 1000, 0) };
}

export const together = (a: Measured, b: Measured): Measured => ({
  calls: a.calls + b.calls,
  busySeconds: a.busySeconds + b.busySeconds,
  callSeconds: a.callSeconds + b.callSeconds,
  tokensIn: a.tokensIn + b.tokensIn,
  tokensOut: a.tokensOut + b.tokensOut,
});
