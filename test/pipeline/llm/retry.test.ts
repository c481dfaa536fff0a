import { expect, test } from "vitest";
import { backoffMs, maxRetryAfterMs, realWorld, retryAfterMs } from "../../../pipeline/llm/retry.ts";
import { ask, bench, faultOf } from "./harness.ts";

const tooMany = (headers: Record<string, string>) => ({ kind: "status", status: 429, headers }) as const;

test("pauses double from 1 s to 60 s and are drawn from the whole range", () => {
  const longest = [1, 2, 3, 4, 5, 6, 7, 8].map((attempt) => backoffMs(attempt, () => 1));
  expect(longest).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
  expect(backoffMs(3, () => 0)).toBe(0);
});

test.each([
  ["retry-after in seconds", { "retry-after": "7" }, 7_000],
  ["retry-after as a date", { "retry-after": "Thu, 01 Jan 2026 00:00:30 GMT" }, 30_000],
  ["retry-after-ms", { "retry-after-ms": "250", "retry-after": "7" }, 250],
  ["a day", { "retry-after": "86400" }, maxRetryAfterMs],
  ["a date in the past", { "retry-after": "Wed, 01 Jan 2025 00:00:00 GMT" }, null],
  ["nonsense", { "retry-after": "soon" }, null],
  ["nothing", {}, null],
])("%s is understood", (_what, headers, ms) => {
  expect(retryAfterMs(new Headers(headers as Record<string, string>), Date.parse("2026-01-01T00:00:00Z"))).toBe(ms);
});

test.each([
  ["seconds", "120", 120_000],
  ["a date", "Thu, 01 Jan 2026 00:02:00 GMT", 120_000],
])("no attempt starts before Retry-After in %s has passed", async (_what, value, ms) => {
  const { server, world, open, ledger } = await bench();
  server.script(tooMany({ "retry-after": value }));
  const backbone = await open();
  await backbone.complete(ask("hello"));
  await backbone.close();
  expect(world.sleeps).toEqual([ms + 500]);
  const [first, second] = (await ledger()).map((row) => Date.parse(row.time));
  expect((second ?? 0) - (first ?? 0)).toBeGreaterThanOrEqual(ms);
});

test("Retry-After holds for the other calls too", async () => {
  const { server, world, open } = await bench();
  server.script(tooMany({ "retry-after": "50" }));
  const backbone = await open({ maxAttempts: 1 });
  await faultOf(backbone.complete(ask("a")));
  expect(world.sleeps).toEqual([]);
  await backbone.complete(ask("b"));
  await backbone.close();
  expect(world.sleeps).toEqual([50_000]);
});

test("429 without Retry-After backs off", async () => {
  const { server, world, open } = await bench();
  server.script(tooMany({}), tooMany({}));
  const backbone = await open();
  await backbone.complete(ask("hello"));
  await backbone.close();
  expect(world.sleeps).toEqual([500, 1_000]);
});

test("429 forever stops the run", async () => {
  const { open } = await bench({ fault: () => tooMany({}) });
  const backbone = await open({ maxAttempts: 50 });
  expect(await faultOf(backbone.complete(ask("hello")))).toMatchObject({ code: "ENDPOINT_UNREACHABLE", remedy: "stop" });
  await backbone.close();
  expect(backbone.totals().calls).toBe(20);
});

test("a real sleep ends at once when its signal aborts", async () => {
  const controller = new AbortController();
  const sleeping = realWorld.sleep(60_000, controller.signal);
  controller.abort();
  await sleeping;
  await realWorld.sleep(60_000, controller.signal);
});
