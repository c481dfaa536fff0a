import { expect, test } from "vitest";
import type { FakeFault } from "../../fakes/openai-server.ts";
import { ask, bench, faultOf, key, linesIn } from "./harness.ts";

const passing: [string, FakeFault, string][] = [
  ["closes the connection", { kind: "close" }, "broken-off"],
  ["breaks off in the middle of a reply", { kind: "reset" }, "broken-off"],
  ["answers 408", { kind: "status", status: 408 }, "unavailable"],
  ["answers 409", { kind: "status", status: 409 }, "unavailable"],
  ["answers 429", { kind: "status", status: 429 }, "rate-limited"],
  ["answers 500", { kind: "status", status: 500 }, "unavailable"],
  ["answers 502", { kind: "status", status: 502 }, "unavailable"],
  ["answers 503", { kind: "status", status: 503 }, "unavailable"],
  ["answers 520", { kind: "status", status: 520 }, "unavailable"],
  ["answers HTML with 200", { kind: "html" }, "not-a-completion"],
  ["answers nothing with 200", { kind: "empty-body" }, "not-a-completion"],
  ["answers half a JSON", { kind: "half-json" }, "not-a-completion"],
  ["answers without choices", { kind: "no-choices" }, "not-a-completion"],
  ["answers with content null", { kind: "content-null" }, "not-a-completion"],
  ["answers with empty content", { kind: "content-empty" }, "not-a-completion"],
  ["answers with NaN tokens", { kind: "nan-tokens" }, "not-a-completion"],
  ["answers an error with 200", { kind: "error-with-200" }, "not-a-completion"],
  ["cuts the reply off", { kind: "finish", reason: "length" }, "truncated"],
  ["filters the reply", { kind: "finish", reason: "content_filter" }, "filtered"],
  ["asks for tool calls", { kind: "finish", reason: "tool_calls" }, "not-a-completion"],
  ["answers with 50 MB", { kind: "huge", bytes: 50 << 20 }, "too-large"],
];

test.each(passing)("an endpoint that %s is asked again and the next good reply is taken", async (_what, fault, outcome) => {
  const { server, open, ledger } = await bench();
  server.script(fault);
  const backbone = await open();
  expect((await backbone.complete(ask("hello"))).text).toMatch(/^reply /);
  await backbone.close();
  expect((await ledger()).map((row) => row.outcome)).toEqual([outcome, "answered"]);
});

test.each(passing)("an endpoint that always %s ends the call after maxAttempts and caches nothing", async (_what, fault, outcome) => {
  const { server, open, ledger, folder } = await bench({ fault: () => fault });
  const backbone = await open();
  const transport = ["broken-off", "unavailable", "rate-limited"].includes(outcome);
  const { code, remedy, message } = await faultOf(backbone.complete(ask("hello")));
  await backbone.close();
  expect({ code, remedy }).toEqual(
    transport ? { code: "ENDPOINT_UNREACHABLE", remedy: "retry" } : { code: "REPLY_INVALID", remedy: "skip" },
  );
  expect(message).toContain("condense:hello");
  expect(server.requests).toHaveLength(3);
  expect((await ledger()).map((row) => row.outcome)).toEqual([outcome, outcome, outcome]);
  await expect(linesIn(`${folder}/cache`)).rejects.toThrow("ENOENT");
});

const slow: [string, FakeFault][] = [
  ["stalls", { kind: "stall" }],
  ["stalls in the middle of a reply", { kind: "stall-in-body" }],
  ["sends one byte now and then", { kind: "drip", everyMs: 5 }],
];

test.each(slow)("an endpoint that %s is cut off by the time-out and asked again", async (_what, fault) => {
  const { server, open, ledger } = await bench();
  server.script(fault);
  const backbone = await open({ timeoutMs: 120 });
  expect((await backbone.complete(ask("hello"))).text).toMatch(/^reply /);
  await backbone.close();
  expect((await ledger()).map((row) => row.outcome)).toEqual(["timed-out", "answered"]);
});

test("silence in the middle of a reply is cut off by the idle time-out, long before the whole call's", async () => {
  const { server, open, ledger } = await bench();
  server.script({ kind: "stall-in-body" });
  const backbone = await open({ timeoutMs: 20_000, idleTimeoutMs: 80 });
  await backbone.complete(ask("hello"));
  await backbone.close();
  expect((await ledger()).map((row) => row.outcome)).toEqual(["timed-out", "answered"]);
});

test("a call that timed out twice and then answered is billed three times", async () => {
  const { server, open, ledger } = await bench();
  server.script({ kind: "stall" }, { kind: "stall" });
  const backbone = await open({ timeoutMs: 120 });
  await backbone.complete(ask("hello"));
  await backbone.close();
  const rows = await ledger();
  expect(rows.map((row) => [row.attempt, row.outcome, row.usage])).toEqual([
    [1, "timed-out", "estimated"],
    [2, "timed-out", "estimated"],
    [3, "answered", "reported"],
  ]);
  expect(rows.every((row) => row.tokensIn > 0)).toBe(true);
  expect(backbone.totals().calls).toBe(3);
});

test.each([401, 403, 404, 405, 307])("HTTP %i stops the run at once and for all calls", async (status) => {
  const headers = status === 307 ? { location: "http://127.0.0.1:1/v1/chat/completions" } : {};
  const { server, open } = await bench({ fault: () => ({ kind: "status", status, headers }) });
  const backbone = await open({ concurrency: 1 });
  const faults = await Promise.all(["a", "b", "c"].map((text) => faultOf(backbone.complete(ask(text)))));
  await backbone.close();
  expect(faults.map((fault) => [fault.code, fault.remedy])).toEqual(Array(3).fill(["ENDPOINT_AUTH", "stop"]));
  expect(server.requests).toHaveLength(1);
});

test.each([
  ["HTTP 402", { kind: "status", status: 402 }],
  ["insufficient quota", { kind: "status", status: 429, code: "insufficient_quota" }],
] as [string, FakeFault][])("%s stops the run: waiting does not fill an account", async (_what, fault) => {
  const { server, open } = await bench({ fault: () => fault });
  const backbone = await open();
  expect(await faultOf(backbone.complete(ask("hello")))).toMatchObject({ code: "BUDGET_SPENT", remedy: "stop" });
  await backbone.close();
  expect(server.requests).toHaveLength(1);
});

test("a request that is too long is refused once, and the next one still works", async () => {
  const { server, open, ledger } = await bench();
  server.script({ kind: "context-length" });
  const backbone = await open();
  const fault = await faultOf(backbone.complete(ask("too long")));
  expect(fault).toMatchObject({ code: "REQUEST_REFUSED", remedy: "skip" });
  expect(fault.message).toContain("maximum context length");
  await backbone.complete(ask("short"));
  await backbone.close();
  expect((await ledger()).map((row) => [row.outcome, row.status, row.tokensIn > 0])).toEqual([
    ["refused", 400, false],
    ["answered", 200, true],
  ]);
});

test("a worthless reply is billed as the endpoint says", async () => {
  const { server, open, ledger } = await bench();
  server.script({ kind: "finish", reason: "length" });
  const backbone = await open();
  await backbone.complete(ask("twelve chars"));
  await backbone.close();
  expect((await ledger()).map((row) => [row.outcome, row.tokensIn, row.tokensOut, row.usage])).toEqual([
    ["truncated", 3, 5, "reported"],
    ["answered", 3, 5, "reported"],
  ]);
});

test.each(["no-usage", "odd-usage"] as const)(
  "a good reply with %s is taken, its tokens unknown to the row and estimated in the ledger",
  async (kind) => {
    const { server, open, ledger } = await bench();
    server.script({ kind });
    const backbone = await open();
    expect(await backbone.complete(ask("hello"))).toMatchObject({ tokensIn: null, tokensOut: null, cached: false });
    await backbone.close();
    expect(await ledger()).toMatchObject([{ outcome: "answered", usage: "estimated", tokensIn: 10, tokensOut: 5 }]);
  },
);

test("__proto__ keys in a reply change no prototype", async () => {
  const { server, open } = await bench();
  server.script({ kind: "proto-keys" });
  const backbone = await open();
  const reply = await backbone.complete(ask("hello"));
  await backbone.close();
  expect(Object.getPrototypeOf(reply)).toBe(Object.prototype);
  expect("polluted" in {}).toBe(false);
  expect("polluted" in reply).toBe(false);
});

test("a refused connection is retried, and twenty in a row stop the run", async () => {
  const { server, open } = await bench();
  await server.close();
  const backbone = await open({ maxAttempts: 5, concurrency: 1 });
  const faults = [];
  for (let call = 0; call < 5; call += 1) faults.push(await faultOf(backbone.complete(ask(`call ${call}`))));
  await backbone.close();
  expect(faults.map((fault) => fault.remedy)).toEqual(["retry", "retry", "retry", "stop", "stop"]);
  expect(faults.every((fault) => fault.code === "ENDPOINT_UNREACHABLE")).toBe(true);
  expect(backbone.totals()).toMatchObject({ calls: 20, tokensIn: 0, tokensOut: 0 });
});

test("forty calls rate-limited at the same moment do not open the circuit", async () => {
  const { open } = await bench({ fault: ({ nth }) => (nth <= 40 ? { kind: "status", status: 429 } : null), delayMs: 30 });
  const backbone = await open({ concurrency: 40, maxAttempts: 4 });
  const replies = await Promise.all(Array.from({ length: 40 }, (_, call) => backbone.complete(ask(`call ${call}`))));
  await backbone.close();
  expect(replies).toHaveLength(40);
});

test("no message and no file ever holds the API key, even when the endpoint repeats it", async () => {
  const { server, open, folder } = await bench();
  server.script(
    { kind: "status", status: 400, message: `bad request by ${key}` },
    { kind: "status", status: 401, message: `Incorrect API key: ${key}` },
  );
  const backbone = await open();
  const faults = [await faultOf(backbone.complete(ask("a"))), await faultOf(backbone.complete(ask("b")))];
  await backbone.close();
  expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${key}`);
  for (const fault of faults) expect(`${fault.message} ${fault.stack} ${JSON.stringify(fault.cause)}`).not.toContain(key);
  expect((await linesIn(`${folder}/ledger`)).join()).not.toContain(key);
});

test("without a key no authorization header is sent, whatever the shell's OPENAI variables say", async () => {
  const { server, open } = await bench();
  const before = process.env["OPENAI_API_KEY"];
  process.env["OPENAI_API_KEY"] = "sk-somebody-elses";
  try {
    const backbone = await open({ apiKey: null });
    await backbone.complete(ask("hello"));
    await backbone.close();
  } finally {
    if (before === undefined) delete process.env["OPENAI_API_KEY"];
    else process.env["OPENAI_API_KEY"] = before;
  }
  expect(server.requests[0]?.headers.authorization).toBeUndefined();
});
