import { expect, test } from "vitest";
import { Reply } from "../../../schemas/completion.ts";
import { ask, bench, faultOf } from "./harness.ts";

const soon = (ms = 15): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

test("a reply is what the endpoint said, and a second time it costs nothing", async () => {
  const { open, server, ledger } = await bench({ reply: () => "the memory" });
  const backbone = await open();
  const reply = Reply.parse(await backbone.complete(ask("hello")));
  expect(reply).toEqual({ text: "the memory", reasoning: null, calls: [], model: "fake-model", tokensIn: 2, tokensOut: 3, cached: false });
  expect(await backbone.complete(ask("hello", { label: "asked again" }))).toEqual({ ...reply, cached: true });
  await backbone.close();
  expect(server.requests).toHaveLength(1);
  expect((await ledger()).map((row) => [row.label, row.outcome, row.tokensIn])).toEqual([
    ["condense:hello", "answered", 2],
    ["asked again", "cached", 0],
  ]);
});

test("equal requests at the same time share one call", async () => {
  const { open, server } = await bench({ delayMs: 10 });
  const backbone = await open();
  const replies = await Promise.all(Array.from({ length: 20 }, () => backbone.complete(ask("hello"))));
  await backbone.close();
  expect(server.requests).toHaveLength(1);
  expect(replies.filter((reply) => !reply.cached)).toHaveLength(1);
  expect(backbone.totals()).toMatchObject({ calls: 1, cached: 19 });
});

test("equal requests at the same time share one failure, and the next one tries anew", async () => {
  const { open, server } = await bench();
  server.script({ kind: "context-length" });
  const backbone = await open();
  const faults = await Promise.all([faultOf(backbone.complete(ask("hello"))), faultOf(backbone.complete(ask("hello")))]);
  expect(faults.map((fault) => fault.code)).toEqual(["REQUEST_REFUSED", "REQUEST_REFUSED"]);
  await backbone.complete(ask("hello"));
  await backbone.close();
  expect(server.requests).toHaveLength(2);
});

test("never more than `concurrency` calls are in flight", async () => {
  const { open, server } = await bench({ delayMs: 5 });
  const backbone = await open({ concurrency: 3 });
  await Promise.all(Array.from({ length: 30 }, (_, call) => backbone.complete(ask(`${call}`))));
  await backbone.close();
  expect(server.mostInFlight()).toBe(3);
});

test("draining lets calls in flight finish and keeps their replies; queued ones are rejected at once", async () => {
  const { open, server } = await bench({ delayMs: 150 });
  const stop = new AbortController();
  const backbone = await open({ concurrency: 2 }, { signal: stop.signal });
  const calls = ["a", "b", "c", "d"].map((text) => backbone.complete(ask(text)));
  const order: string[] = [];
  const [inFlight, queued] = [calls.slice(0, 2), calls.slice(2)];
  const ended = Promise.all([
    Promise.all(inFlight).then(() => order.push("in flight")),
    Promise.all(queued.map(faultOf)).then((faults) => {
      order.push("queued");
      return faults;
    }),
  ]);
  while (server.requests.length < 2) await soon(2);
  stop.abort();
  const [, faults] = await ended;
  expect(order).toEqual(["queued", "in flight"]);
  expect(faults.map((fault) => [fault.code, fault.remedy])).toEqual(Array(2).fill(["DRAINED", "stop"]));
  expect(await faultOf(backbone.complete(ask("e")))).toMatchObject({ code: "DRAINED" });
  expect(await backbone.complete(ask("a"))).toMatchObject({ cached: true });
  await backbone.close();
  expect(server.requests).toHaveLength(2);
});

test("draining ends the pause before a retry at once", async () => {
  const { open, server } = await bench();
  server.script({ kind: "status", status: 429, headers: { "retry-after": "500" } });
  const stop = new AbortController();
  const backbone = await open({}, { signal: stop.signal, world: {} });
  const call = faultOf(backbone.complete(ask("hello")));
  while (server.requests.length < 1) await soon(2);
  await soon();
  stop.abort();
  expect(await call).toMatchObject({ code: "DRAINED" });
  await backbone.close();
  expect(server.requests).toHaveLength(1);
});

test("a call that does not finish while draining is cut off, and ledgered", async () => {
  const { open, server, ledger } = await bench();
  server.script({ kind: "stall" });
  const stop = new AbortController();
  const backbone = await open({}, { signal: stop.signal, drainMs: 20 });
  const call = faultOf(backbone.complete(ask("hello")));
  while (server.requests.length < 1) await soon(2);
  stop.abort();
  expect(await call).toMatchObject({ code: "DRAINED", remedy: "stop" });
  await backbone.close();
  expect(await ledger()).toMatchObject([{ outcome: "aborted", usage: "estimated" }]);
});

test("a call that waits for the budget is let go when draining begins", async () => {
  const { open, server } = await bench({ delayMs: 150 });
  const stop = new AbortController();
  const backbone = await open({ budget: { tokens: 120, money: null, currency: "USD" } }, { signal: stop.signal });
  const first = backbone.complete(ask("a"));
  const second = faultOf(backbone.complete(ask("b")));
  while (server.requests.length < 1) await soon(2);
  stop.abort();
  expect(await second).toMatchObject({ code: "DRAINED" });
  expect(await first).toMatchObject({ cached: false });
  await backbone.close();
});

test.each([
  ["base URL", { baseUrl: "" }, "CATGEN_BASE_URL"],
  ["model", { model: "" }, "CATGEN_MODEL"],
])("without a %s it says what to set", async (_what, settings, variable) => {
  const { open } = await bench();
  const fault = await faultOf(open(settings));
  expect(fault).toMatchObject({ code: "ENDPOINT_MISSING", remedy: "stop" });
  expect(fault.message).toContain(variable);
});
