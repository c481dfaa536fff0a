import { describe, expect, test } from "vitest";
import { completionOf } from "../../../pipeline/llm/event-stream.ts";
import type { FakeReply } from "../../fakes/openai-server.ts";
import { ask, bench, faultOf } from "./harness.ts";

const tool =
  '{"type": "function", "function": {"name": "ls", "parameters": {"type": "object", "properties": {"path": {"type": "string"}}}}}';
const said: FakeReply = { text: "Look first. 🔎", reasoning: "where is it?", calls: [{ name: "ls", arguments: '{"path": "/a b"}' }] };
const asked = (changes = {}) => ask("hello", { tools: [tool], ...changes });

test("tools go out as schemas, calls come back as written, and reasoning stays apart from the text", async () => {
  const { open, server } = await bench({ reply: () => said });
  const backbone = await open();
  const reply = await backbone.complete(asked());
  await backbone.close();
  expect(server.requests[0]?.body["tools"]).toEqual([JSON.parse(tool)]);
  expect(reply).toMatchObject({ text: said.text, reasoning: said.reasoning, calls: [{ name: "ls", arguments: '{"path": "/a b"}' }] });
});

test("a turn with calls and its results go out as the API wants them", async () => {
  const { open, server } = await bench();
  const backbone = await open();
  const call = { id: "c00010000", name: "ls", arguments: "{}" };
  await backbone.complete(
    asked({
      messages: [
        { role: "user", content: "go" },
        { role: "assistant", content: "", calls: [call] },
        { role: "tool", content: "a.txt", call: call.id },
        { role: "assistant", content: "done", calls: [] },
        { role: "user", content: "really?" },
      ],
    }),
  );
  await backbone.close();
  expect(server.requests[0]?.messages).toEqual([
    { role: "user", content: "go" },
    { role: "assistant", content: null, tool_calls: [{ id: call.id, type: "function", function: { name: "ls", arguments: "{}" } }] },
    { role: "tool", tool_call_id: call.id, content: "a.txt" },
    { role: "assistant", content: "done" },
    { role: "user", content: "really?" },
  ]);
});

describe("a reply that comes in pieces", () => {
  test("means the same as one that comes whole, and has the same key", async () => {
    const { open, server } = await bench({ reply: () => said });
    const streaming = await open({ stream: true });
    const inPieces = await streaming.complete(asked());
    await streaming.close();
    expect(server.requests[0]?.body).toMatchObject({ stream: true, stream_options: { include_usage: true } });
    const whole = await open();
    expect(await whole.complete(asked())).toEqual({ ...inPieces, cached: true });
    await whole.close();
    expect(server.requests).toHaveLength(1);
    expect(inPieces).toMatchObject({ text: said.text, reasoning: said.reasoning, calls: [{ name: "ls", arguments: '{"path": "/a b"}' }] });
    expect(inPieces.tokensIn).toBeGreaterThan(0);
  });

  test("and breaks off is asked for again", async () => {
    const { open, server } = await bench({ reply: () => "whole" });
    server.script({ kind: "reset" }, { kind: "stall-in-body" });
    const backbone = await open({ stream: true, idleTimeoutMs: 50 });
    expect(await backbone.complete(ask("hello"))).toMatchObject({ text: "whole" });
    await backbone.close();
    expect(server.requests).toHaveLength(3);
  });

  test.each([
    ["ends without a reason", 'data: {"choices":[{"delta":{"content":"half"}}]}\n\ndata: [DONE]\n\n', '"finish_reason":null'],
    [
      "reports an error in mid-stream",
      'data: {"choices":[]}\n\ndata: {"error":{"message":"overloaded"}}\n\n',
      '{"error":{"message":"overloaded"}}',
    ],
    ["is no JSON", "data: {oops\n\n", "{oops"],
    ["is nothing at all", "", '"content":null'],
  ])("and %s is no completion", (_, text, shown) => expect(completionOf(text)).toContain(shown));
});

test.each([
  ["a reason for calls without a call", { ...said, calls: [] }],
  ["neither text nor call", { text: "" }],
])("%s is no reply", async (_, reply) => {
  const { open } = await bench({ reply: () => reply as FakeReply });
  const backbone = await open({ maxAttempts: 1 });
  expect((await faultOf(backbone.complete(asked()))).code).toBe("REPLY_INVALID");
  await backbone.close();
});
