import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sameModel, takeIn } from "../../../pipeline/batch/take-in.ts";
import { readWaves } from "../../../pipeline/batch/waves.ts";
import type { LedgerRow } from "../../../pipeline/llm/ledger.ts";
import { noCalls } from "../../../pipeline/llm/ledger.ts";
import type { KeptReply } from "../../../pipeline/llm/reply-format.ts";
import type { BatchEntry, BatchSettled } from "../../../schemas/batch.ts";
import type { ReplyTransport } from "../../../schemas/completion.ts";
import { fakeTokens } from "../../fakes/openai-server.ts";
import { settingsFor, tempFolder } from "../llm/harness.ts";

test.each([
  ["org/name", "name", true],
  ["name", "name-2024-08-06", true],
  ["/models/Qwen2.5-7B", "qwen2.5-7b", true],
  ["name:free", "name", true],
  ["name", "other", false],
  ["gpt-4o", "gpt-4", false],
  ["qwen2.5-7b", "qwen2.5-72b", false],
])("%s served as %s: %s", (asked, said, same) => {
  expect(sameModel(asked, said)).toBe(same);
});

const entry = (id: string): BatchEntry => ({
  id,
  key: id.padEnd(64, "0"),
  label: `condense:${id}`,
  model: "m",
  transport: "json-schema",
  structured: true,
  withTools: false,
  promptTokens: 50,
});
const inWords: BatchEntry = { ...entry("c"), transport: "text", structured: false };
const body = (more: object = {}) => ({
  model: "m",
  choices: [{ finish_reason: "stop", message: { role: "assistant", content: "said" } }],
  usage: { prompt_tokens: 40, completion_tokens: 3 },
  ...more,
});

async function taken(lines: readonly object[]) {
  const folder = await tempFolder();
  const path = join(folder, "results.jsonl");
  await writeFile(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  const kept: [string, KeptReply][] = [];
  const rows: LedgerRow[] = [];
  const settled: BatchSettled[] = [];
  const learnt: ReplyTransport[] = [];
  const waves = {
    ...(await readWaves({ name: "r", root: folder, shards: 1, verdict: null })),
    entries: new Map([entry("a"), entry("b"), inWords].map((one) => [one.id, one])),
  };
  const outcome = await takeIn(
    {
      settings: settingsFor("http://127.0.0.1:1/v1", { price: { inputPerMillion: 1, outputPerMillion: 10 } }),
      replies: { get: async () => null, put: async (key, reply) => void kept.push([key, reply]), close: async () => undefined },
      ledger: { record: async (row) => void rows.push(row), totals: () => noCalls, close: async () => undefined },
      memo: { works: async () => null, learn: async (way) => void learnt.push(way) },
      waves,
      settled: { add: async (one) => void settled.push(one) },
      countTokens: fakeTokens,
      now: () => 0,
    },
    [path],
  );
  return { outcome, kept, rows, settled: settled.map((one) => one.outcome), learnt };
}

test("a good result is kept under its key, booked with what was billed, and tells which way works", async () => {
  const { outcome, kept, rows, settled, learnt } = await taken([
    { custom_id: "a", response: { status_code: 200, body: body() }, error: null },
  ]);
  expect(kept).toEqual([["a".padEnd(64, "0"), { text: "said", reasoning: null, calls: [], model: "m", tokensIn: 40, tokensOut: 3 }]]);
  expect(rows).toMatchObject([{ label: "condense:a", outcome: "answered", tokensIn: 40, tokensOut: 3, usage: "reported", cached: false }]);
  expect(outcome).toMatchObject({ answered: 1, tokensIn: 40, tokensOut: 3 });
  expect(outcome.cost?.amount).toBeCloseTo(70e-6, 12);
  expect([settled, learnt]).toEqual([["answered"], ["json-schema"]]);
});

test.each([
  [
    "a reply that was cut off",
    { response: { status_code: 200, body: body({ choices: [{ finish_reason: "length", message: { content: "x" } }] }) }, error: null },
    "truncated",
    "failed",
    40,
  ],
  [
    "a filtered one",
    {
      response: { status_code: 200, body: body({ choices: [{ finish_reason: "content_filter", message: { content: "x" } }] }) },
      error: null,
    },
    "filtered",
    "failed",
    40,
  ],
  [
    "one by another model",
    { response: { status_code: 200, body: body({ model: "someone-else" }) }, error: null },
    "wrong-model",
    "failed",
    40,
  ],
  ["something that is no reply", { response: { status_code: 200, body: { hello: 1 } }, error: null }, "not-a-completion", "failed", 50],
  [
    "a refusal as OpenAI writes it",
    { response: { status_code: 400, body: { error: { message: "too long", code: "context_length_exceeded" } } }, error: null },
    "refused",
    "refused",
    0,
  ],
  [
    "a refusal as vLLM writes it",
    { response: { status_code: 400, body: null }, error: { error: { message: "too long", code: 400 } } },
    "refused",
    "refused",
    0,
  ],
  [
    "a way that no model of the gateway takes",
    { response: { status_code: 404, body: null }, error: { message: "no tools" } },
    "refused",
    "refused",
    0,
  ],
  ["a request that expired", { response: null, error: { code: "batch_expired", message: "too late" } }, "unreachable", "failed", 0],
  ["a server's own error", { response: { status_code: 500, body: null }, error: { message: "oops" } }, "unavailable", "failed", 0],
])("%s is not kept, and is counted for what it may have cost", async (_, result, outcome, settledAs, tokensIn) => {
  const made = await taken([{ custom_id: "a", ...result }]);
  expect([made.kept, made.learnt, made.settled]).toEqual([[], [], [settledAs]]);
  expect(made.rows).toMatchObject([{ outcome, tokensIn }]);
  expect(made.outcome.problems).toMatchObject([{ id: "a", label: "condense:a", outcome }]);
});

test("a request that was asked in words anyhow tells nothing about the other ways", async () => {
  const { kept, learnt } = await taken([{ custom_id: "c", response: { status_code: 200, body: body() }, error: null }]);
  expect([kept.length, learnt]).toEqual([1, []]);
});
