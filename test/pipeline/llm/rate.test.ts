import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { LedgerRow } from "../../../pipeline/llm/ledger.ts";
import { measuredCalls } from "../../../pipeline/llm/rate.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "catgen-rate-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const row = (endMs: number, latencyMs: number, changes: Partial<LedgerRow> = {}): string =>
  `${JSON.stringify({
    time: new Date(1_700_000_000_000 + endMs).toISOString(),
    label: "condense:a/b/000000000000@5",
    key: "0".repeat(64),
    attempt: 1,
    outcome: "answered",
    status: 200,
    tokensIn: 100,
    tokensOut: 10,
    usage: "reported",
    cost: null,
    latencyMs,
    cached: false,
    ...changes,
  } satisfies LedgerRow)}\n`;

test("busy time is the union of the calls' spans, in whatever way they overlap", async () => {
  const spans = fc.array(fc.tuple(fc.nat(60), fc.integer({ min: 1, max: 20 })), { minLength: 1, maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(spans, async (given) => {
      const calls = given.map(([end, length]) => ({ end, length })).sort((a, b) => a.end - b.end);
      await writeFile(join(folder, "one.jsonl"), calls.map(({ end, length }) => row(end, length)).join(""));
      const busy = new Set(calls.flatMap(({ end, length }) => Array.from({ length }, (_, at) => end - length + at)));
      const measured = await measuredCalls(folder, ["condense:"]);
      expect(measured.busySeconds).toBeCloseTo(busy.size / 1000, 9);
      expect(measured.calls).toBe(calls.length);
      expect(measured.callSeconds).toBeCloseTo(calls.reduce((sum, { length }) => sum + length, 0) / 1000, 9);
    }),
    { numRuns: 60 },
  );
});

test("cached answers, other stages and torn lines are no calls; failed ones take time and are no answer", async () => {
  await writeFile(
    join(folder, "one.jsonl"),
    row(1000, 1000) +
      row(1500, 0, { cached: true, attempt: 0, outcome: "cached" }) +
      row(9000, 500, { label: "rollout:x:0:1" }) +
      row(9500, 0, { label: "condense:of/an/offline-batch" }) +
      row(3000, 1000, { outcome: "timed-out", tokensIn: 7 }) +
      '{"time":"torn',
  );
  expect(await measuredCalls(folder, ["condense:"])).toEqual({ calls: 1, busySeconds: 2, callSeconds: 2, tokensIn: 100, tokensOut: 10 });
});

test("the pause between two processes is no busy time, and a folder that is not there has no calls", async () => {
  await writeFile(join(folder, "one.jsonl"), row(1000, 1000));
  await writeFile(join(folder, "two.jsonl"), row(90_000, 1000));
  expect((await measuredCalls(folder, ["condense:"])).busySeconds).toBe(2);
  expect((await measuredCalls(join(folder, "none"), ["condense:"])).calls).toBe(0);
});
