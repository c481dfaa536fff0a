import { expect, test } from "vitest";
import { ask, bench, faultOf } from "./harness.ts";

const limit = (tokens: number | null, money: number | null = null) => ({ budget: { tokens, money, currency: "EUR" } });

test("a call that could exceed the token budget is not sent", async () => {
  const { open, server } = await bench();
  const backbone = await open(limit(115)); // a call may take 8 + 1 + 100
  await backbone.complete(ask("a")); // 1 + 5 billed
  const fault = await faultOf(backbone.complete(ask("bbbbbbbb")));
  await backbone.complete(ask("a")); // from the cache, which costs nothing
  await backbone.close();
  expect(fault).toMatchObject({ code: "BUDGET_SPENT", remedy: "stop" });
  expect(fault.message).toMatch(/6 of 115 tokens spent, the next call may take 110; raise llm\.budget/);
  expect(server.requests).toHaveLength(1);
});

test("a call that could exceed the money budget is not sent", async () => {
  const { open, server } = await bench();
  const price = { inputPerMillion: 1_000, outputPerMillion: 10_000 };
  const backbone = await open({ ...limit(null, 1.05), price });
  await backbone.complete(ask("a")); // 0.051
  const fault = await faultOf(backbone.complete(ask("b"))); // may take 1.009
  await backbone.close();
  expect(fault.message).toContain("0.0510 of 1.05 EUR spent");
  expect(server.requests).toHaveLength(1);
});

test("what an earlier process of the run spent counts", async () => {
  const { open } = await bench();
  const first = await open();
  await first.complete(ask("a"));
  await first.close();
  const second = await open(limit(110));
  expect(await faultOf(second.complete(ask("b")))).toMatchObject({ code: "BUDGET_SPENT" });
  await second.close();
});

test("calls wait while others hold the rest of the budget, and all of it can be used", async () => {
  const { open, server } = await bench({ delayMs: 5 });
  const backbone = await open({ ...limit(160), concurrency: 8 }); // room for one call at a time, and for 9 in all
  const calls = Array.from({ length: 12 }, (_, call) => backbone.complete(ask(`${call}`.padStart(4, "0"))));
  const ended = await Promise.allSettled(calls);
  await backbone.close();
  expect(server.mostInFlight()).toBe(1);
  expect(ended.filter((one) => one.status === "fulfilled")).toHaveLength(9);
  expect(backbone.totals().tokensIn + backbone.totals().tokensOut).toBeLessThanOrEqual(160);
});

test("attempts that came to nothing but may be billed count", async () => {
  const { open } = await bench({ fault: () => ({ kind: "half-json" }) });
  const backbone = await open({ ...limit(125), maxAttempts: 10 });
  expect(await faultOf(backbone.complete(ask("a")))).toMatchObject({ code: "BUDGET_SPENT" });
  await backbone.close();
  expect(backbone.totals().calls).toBe(2);
});

test("a money budget without a price is refused before anything is spent", async () => {
  const { open } = await bench();
  expect(await faultOf(open(limit(null, 5)))).toMatchObject({ code: "RECIPE_INVALID", remedy: "stop" });
});
