import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { wireRequest } from "../../../pipeline/llm/request.ts";
import type { Completion, Structure } from "../../../schemas/completion.ts";
import type { FakeRequest } from "../../fakes/openai-server.ts";
import { ask, bench, faultOf, settingsFor } from "./harness.ts";

const schema = '{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}';
const structure = (transports: Structure["transports"]): Structure => ({
  name: "thing",
  description: "Keeps a thing.",
  schema,
  hint: "Give it as JSON.",
  transports,
});
const auto: Structure["transports"] = ["json-schema", "tool", "text"];
const asking = (text: string, transports: Structure["transports"] = auto): Completion => ask(text, { structure: structure(transports) });

type Way = Structure["transports"][number];
const wayOf = ({ body }: FakeRequest): Way =>
  body["response_format"] !== undefined ? "json-schema" : body["tool_choice"] !== undefined ? "tool" : "text";
/** An endpoint that refuses these ways with this status. */
const refusing =
  (status: number, ...ways: Way[]) =>
  (request: FakeRequest) =>
    ways.includes(wayOf(request)) ? ({ kind: "status", status, message: "not supported here" } as const) : null;

describe("the body", () => {
  const settings = settingsFor("http://127.0.0.1:1/v1");
  const body = (way: Way) => wireRequest(settings, asking("hello"), way).body;

  test("holds the schema as response_format, or as the one tool that must be called, and the hint ends the message", () => {
    expect(body("json-schema")).toMatchObject({
      response_format: { type: "json_schema", json_schema: { name: "thing", strict: true, schema: JSON.parse(schema) } },
      messages: [{ role: "user", content: "hello\n\nGive it as JSON." }],
    });
    expect(body("json-schema")["tools"]).toBeUndefined();
    expect(body("tool")).toMatchObject({
      tools: [{ type: "function", function: { name: "thing", description: "Keeps a thing.", parameters: JSON.parse(schema) } }],
      tool_choice: { type: "function", function: { name: "thing" } },
      messages: [{ role: "user", content: "hello\n\nGive it as JSON." }],
    });
    expect(body("tool")["response_format"]).toBeUndefined();
  });

  test("as plain text is that of a request without a structure, and so is its key; the other ways have keys of their own", () => {
    const plain = wireRequest(settings, ask("hello"));
    expect(body("text")).toEqual(plain.body);
    const keys = auto.map((way) => wireRequest(settings, asking("hello"), way).key);
    expect(keys[2]).toBe(plain.key);
    expect(new Set(keys).size).toBe(3);
    const other = { ...structure(auto), schema: schema.replaceAll('"a"', '"b"') };
    expect(wireRequest(settings, ask("hello", { structure: other }), "tool").key).not.toBe(keys[1]);
  });
});

describe("the first way that the endpoint takes", () => {
  for (const [status, refused, taken] of [
    [400, [], "json-schema"],
    [400, ["json-schema"], "tool"],
    [404, ["json-schema"], "tool"],
    [422, ["json-schema", "tool"], "text"],
    [404, ["json-schema", "tool"], "text"],
  ] as [number, Way[], Way][])
    test(`is ${taken} where ${refused.join(" and ") || "nothing"} is refused with ${status}: found out once, kept for all others`, async () => {
      const { server, open, ledger } = await bench({ fault: refusing(status, ...refused) });
      const backbone = await open();
      const replies = await Promise.all(["a", "b", "c", "d"].map((text) => backbone.complete(asking(text))));
      expect(replies.map((reply) => reply.transport)).toEqual(Array(4).fill(taken));
      expect(server.requests.map(wayOf)).toEqual([...refused, ...Array(4).fill(taken)]);
      await backbone.close();
      const rows = await ledger();
      expect(rows.filter((row) => row.outcome === "refused").map((row) => [row.tokensIn, row.tokensOut])).toEqual(
        refused.map(() => [0, 0]),
      );

      const again = await open();
      await again.complete(asking("e"));
      expect(server.requests.slice(refused.length + 4).map(wayOf)).toEqual([taken]); // remembered by the run
      await again.close();
    });

  test("is looked for in the cache first: another run sends nothing and knows how it was asked", async () => {
    const { folder, server, open } = await bench({ fault: refusing(400, "json-schema") });
    const first = await open();
    const { text } = await first.complete(asking("a"));
    await first.close();
    const sent = server.requests.length;
    const other = await open({}, { ledgerDir: join(folder, "other", "ledger") });
    expect(await other.complete(asking("a"))).toMatchObject({ text, cached: true, transport: "tool" });
    expect(server.requests.length).toBe(sent);
    await other.close();
  });

  test("is found out anew when what the run remembers is refused now", async () => {
    const refused: Way[] = [];
    const { server, open } = await bench({ fault: (request) => refusing(400, ...refused)(request) });
    const first = await open();
    await first.complete(asking("a"));
    await first.close();
    refused.push("json-schema");
    const second = await open();
    expect(await second.complete(asking("b"))).toMatchObject({ transport: "tool" });
    expect(server.requests.map(wayOf)).toEqual(["json-schema", "json-schema", "tool"]);
    await second.close();
  });
});

test("a request that is refused in every way is refused for itself, and the next is asked as if nothing had been", async () => {
  const { server, open } = await bench({
    fault: (request) => (request.messages[0]?.content?.startsWith("long") === true ? { kind: "context-length" } : null),
  });
  const backbone = await open();
  expect(await faultOf(backbone.complete(asking("long")))).toMatchObject({ code: "REQUEST_REFUSED", remedy: "skip" });
  expect(await backbone.complete(asking("short"))).toMatchObject({ transport: "json-schema" });
  expect(await faultOf(backbone.complete(asking("long again")))).toMatchObject({ code: "REQUEST_REFUSED" });
  expect(server.requests.map(wayOf)).toEqual(["json-schema", "tool", "text", "json-schema", "json-schema"]); // by then it is known to work
  await backbone.close();
});

test("one way alone is used whatever comes, and a wrong address still stops the run", async () => {
  const { server, open } = await bench({ fault: refusing(400, "json-schema") });
  const backbone = await open();
  expect(await faultOf(backbone.complete(asking("a", ["json-schema"])))).toMatchObject({ code: "REQUEST_REFUSED" });
  expect(await backbone.complete(asking("a", ["tool"]))).toMatchObject({ transport: "tool" });
  expect(server.requests.map(wayOf)).toEqual(["json-schema", "tool"]);
  await backbone.close();

  const nowhere = await bench({ fault: () => ({ kind: "status", status: 404, message: "not found" }) });
  const lost = await nowhere.open();
  expect(await faultOf(lost.complete(asking("a")))).toMatchObject({ code: "ENDPOINT_AUTH", remedy: "stop" });
  await lost.close();
});

test("the arguments of the forced call come back as a call", async () => {
  const { open } = await bench({ reply: () => ({ text: "", calls: [{ name: "thing", arguments: '{"a":"x"}' }] }) });
  const backbone = await open();
  expect((await backbone.complete(asking("a", ["tool"]))).calls).toMatchObject([{ name: "thing", arguments: '{"a":"x"}' }]);
  await backbone.close();
});
