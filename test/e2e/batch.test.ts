import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { BatchRead, BatchWritten } from "../../schemas/batch.ts";
import type { Status } from "../../schemas/status.ts";
import { messageLines } from "../fakes/message-runs.ts";
import { type FakeRequest, type FakeServer, type FakeServerOptions, startFakeServer } from "../fakes/openai-server.ts";
import { memoryText } from "../invariants/placement.ts";
import { makePlace, type Place } from "./harness.ts";

/** Wave mode: the same rows as online, whatever the server of the batch does in between. */

/** A memory that says what it was made from, so that a reply in the wrong place would show. */
const reply = ({ messages, body }: FakeRequest): string => {
  const text = messages.at(-1)?.content ?? "";
  const mark = [...`${text}${JSON.stringify(body["temperature"])}`].reduce(
    (sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 1_000_003,
    7,
  );
  return text.includes("Now write the thought.") ? "I have seen enough of this, so I will condense." : memoryText(`note ${mark}`);
};

let place: Place;
let server: FakeServer | null = null;
beforeAll(async () => {
  place = await makePlace();
  await place.write("in/runs.jsonl", messageLines([{ instance: "a__a-1" }, { instance: "b__b-2" }, { instance: "c__c-3", steps: 50 }]));
});
afterAll(() => place.remove());
afterEach(async () => {
  await server?.close();
  server = null;
});

/** Small enough that every run needs several context calls. */
const smallWindow = ["window.tokens=8192", "window.replyTokens=512", "condense.memoryCapTokens=512"].flatMap((one) => ["--set", one]);

interface Run {
  readonly fake: FakeServer;
  readonly name: string;
  readonly env: Record<string, string>;
}

async function started(name: string, more: readonly string[] = [], options: FakeServerOptions = {}): Promise<Run> {
  server ??= await startFakeServer({ reply, ...options });
  const env = {
    CATGEN_BASE_URL: server.baseUrl,
    CATGEN_MODEL: "fake-model",
    CATGEN_CACHE: join(place.folder, `cache-${name}`),
  };
  await place.json(
    ["run", "1-2", "--run", name, "--input", join(place.folder, "in"), "--set", "run.shards=2", ...smallWindow, ...more],
    env,
  );
  return { fake: server, name, env };
}

const write = ({ name, env }: Run, file: string, ...more: string[]): Promise<BatchWritten> =>
  place.json<BatchWritten>(["batch", "write", "--run", name, join(place.folder, file), ...more], env);
const read = ({ name, env }: Run, ...files: string[]): Promise<BatchRead> =>
  place.json<BatchRead>(["batch", "read", "--run", name, ...files.map((file) => join(place.folder, file))], env);
const linesOf = async (file: string): Promise<string[]> =>
  (await readFile(join(place.folder, file), "utf8")).split("\n").filter((line) => line !== "");

/** Does what the server of a batch does: one result per request, in another order, as OpenAI or as vLLM writes them. */
async function serveBatch({ fake }: Run, file: string, results: string, style: "openai" | "vllm" = "openai"): Promise<void> {
  const lines: string[] = [];
  for (const line of (await linesOf(file)).reverse()) {
    const { custom_id, body, url } = JSON.parse(line) as { custom_id: string; body: Record<string, unknown>; url: string };
    expect(url).toBe("/v1/chat/completions");
    const answer = await fetch(`${fake.baseUrl}/chat/completions`, { method: "POST", body: JSON.stringify(body) });
    const value: unknown = await answer.json();
    const vllmError = style === "vllm" && answer.status !== 200;
    lines.push(
      JSON.stringify({
        id: `batch_req_${lines.length}`,
        custom_id,
        response: { status_code: answer.status, request_id: `r-${lines.length}`, body: vllmError ? null : value },
        error: vllmError ? value : null,
      }),
    );
  }
  await writeFile(join(place.folder, results), `${lines.join("\n")}\n`);
}

async function rowFiles(run: string): Promise<string[]> {
  const folder = join(place.runs, run, "stages", "3-condense", "rows");
  return Promise.all((await readdir(folder)).sort().map((name) => readFile(join(folder, name), "base64")));
}

/** Waves until there is nothing left to ask; how many requests each had. */
async function throughWaves(run: Run, style: "openai" | "vllm"): Promise<number[]> {
  const sizes: number[] = [];
  for (let wave = 1; wave < 40; wave += 1) {
    const written = await write(run, `${run.name}-${wave}.jsonl`);
    if (written.file === null) return sizes;
    expect(written).toMatchObject({ wave, requests: (await linesOf(`${run.name}-${wave}.jsonl`)).length, failed: [] });
    sizes.push(written.requests);
    await serveBatch(run, `${run.name}-${wave}.jsonl`, `${run.name}-${wave}.out`, style);
    await read(run, `${run.name}-${wave}.out`);
  }
  throw new Error("the waves never end");
}

for (const [style, settings] of [
  ["openai", ["--set", "condense.candidates=2"]],
  ["vllm", ["--set", "condense.transport=text"]],
] as const)
  test(`waves of an offline batch (${style}) give the rows of an online run, byte for byte`, { timeout: 300_000 }, async () => {
    const offline = await started(`waves-${style}`, settings);
    const sizes = await throughWaves(offline, style);
    expect(sizes.length).toBeGreaterThan(1);
    expect(Math.min(...sizes)).toBeGreaterThan(0);

    const online = await started(`online-${style}`, settings);
    const asked = online.fake.requests.length;
    const status = await place.json<Status>(["run", "3", "--run", online.name], online.env);
    expect(online.fake.requests.length - asked).toBe(sizes.reduce((sum, size) => sum + size, 0));
    expect(await rowFiles(offline.name)).toEqual(await rowFiles(online.name));
    const spent = await place.json<Status>(["status", "--run", offline.name], offline.env);
    expect(spent.spent).toMatchObject({ calls: status.spent.calls, tokensIn: status.spent.tokensIn, tokensOut: status.spent.tokensOut });
    expect(spent.stages.find(({ name }) => name === "condense")?.rows).toMatchObject({ in: 3, out: 3, failed: 0 });
  });

describe("a file that is not the results of this run's batch is refused, and nothing of it is read", () => {
  test("whatever is wrong with it", { timeout: 300_000 }, async () => {
    const run = await started("refused");
    const refusal = async (text: string, name = "bad.out"): Promise<string> => {
      await place.write(name, text);
      const { code, stderr } = await place.catgen(["batch", "read", "--run", run.name, join(place.folder, name), "--quiet"], run.env);
      expect(code).toBe(65);
      return stderr;
    };
    const { code, stderr } = await place.catgen(["batch", "read", "--run", run.name, join(place.folder, "in/runs.jsonl")], run.env);
    expect([code, stderr]).toEqual([64, expect.stringContaining("has written no batch")]);
    await write(run, "refused.jsonl");
    await serveBatch(run, "refused.jsonl", "refused.out");
    const good = await linesOf("refused.out");
    const first = good[0] ?? "";
    expect(await refusal((await linesOf("refused.jsonl")).join("\n"))).toContain("these are the requests");
    expect(await refusal(`${good.join("\n").slice(0, -30)}`)).toMatch(/line \d+, the last, breaks off: the file is half downloaded/);
    expect(await refusal(`${first}\n${first.slice(0, 40)}\n`)).toContain("line 2 is no JSON");
    expect(await refusal(`${first}\n${first}\n`)).toContain("has two results");
    expect(await refusal(first.replace(/"catgen-1-\w+"/, '"request-1"'))).toContain("none of its 1 results belongs to this run");
    expect(await refusal(`${first}\n${(good[1] ?? "").replace(/"catgen-1-/, '"catgen-9-')}\n`)).toContain(
      "1 of its 2 results belong to no request",
    );
    expect(await refusal("")).toContain("the file is empty");
    expect(await refusal('{"hello": "world"}\n')).toContain("no custom_id and response");
    // After all this the good file is read as if nothing had been.
    expect(await read(run, "refused.out")).toMatchObject({ answered: good.length, refused: 0, failed: 0, known: 0, open: 0 });
    expect(await read(run, "refused.out")).toMatchObject({ answered: 0, known: good.length, tokensIn: 0 });
  });
});

test("what the batch could not do is asked again, what it will never do rejects the record, and all of it is counted", {
  timeout: 300_000,
}, async () => {
  const run = await started("broken", [
    "--set",
    "condense.transport=text",
    "--set",
    "condense.thought=template",
    "--set",
    "llm.price={inputPerMillion: 1, outputPerMillion: 2}",
  ]);
  await write(run, "broken-1.jsonl");
  await serveBatch(run, "broken-1.jsonl", "broken-1.out");
  const lines = (await linesOf("broken-1.out")).map((line) => JSON.parse(line) as Record<string, Record<string, unknown>>);
  const [truncated, expired, other] = lines;
  if (truncated === undefined || expired === undefined || other === undefined) throw new Error("three records, three requests");
  const body = truncated["response"]?.["body"] as { choices: { finish_reason: string }[] };
  for (const choice of body.choices) choice.finish_reason = "length";
  const failed = {
    ...expired,
    response: null,
    error: { code: "batch_expired", message: "This request could not be executed before the completion window expired." },
  };
  (other["response"]?.["body"] as { model: string }).model = "someone-else";
  await place.write("broken-1.bad", [truncated, failed, other].map((line) => JSON.stringify(line)).join("\n"));
  const { code, stdout } = await place.catgen(
    ["batch", "read", "--run", run.name, join(place.folder, "broken-1.bad"), "--json", "--quiet"],
    run.env,
  );
  expect(code).toBe(75);
  const taken = JSON.parse(stdout) as BatchRead;
  expect(taken).toMatchObject({ answered: 0, refused: 0, failed: 3, open: 0 });
  expect(taken.problems.map(({ outcome }) => outcome).sort()).toEqual(["truncated", "unreachable", "wrong-model"]);
  expect(taken.tokensIn).toBeGreaterThan(0); // two of them were billed
  expect(taken.cost?.amount).toBeCloseTo((taken.tokensIn + 2 * taken.tokensOut) / 1e6, 9);

  const second = await write(run, "broken-2.jsonl");
  expect(second).toMatchObject({ wave: 2, requests: 3, waiting: 3 });
  await serveBatch(run, "broken-2.jsonl", "broken-2.out");
  const refused = (await linesOf("broken-2.out")).map((line, index) =>
    index > 0
      ? line
      : JSON.stringify({
          ...(JSON.parse(line) as object),
          response: { status_code: 400, request_id: "r", body: null },
          error: { error: { message: "maximum context length", code: 400 } },
        }),
  );
  await place.write("broken-2.mixed", `${refused.join("\n")}\n`);
  expect(await read(run, "broken-2.mixed")).toMatchObject({ answered: 2, refused: 1, failed: 0, open: 0 });
  const third = await write(run, "broken-3.jsonl");
  const status = await place.json<Status>(["status", "--run", run.name], run.env);
  expect(status.stages.find(({ name }) => name === "condense")?.rows.rejected).toEqual({ "request-refused": 1 });
  expect(third.done + third.waiting).toBe(3);
});

test("a second write before the results are in needs --again, and an existing file is never overwritten", {
  timeout: 300_000,
}, async () => {
  const run = await started("again");
  const { requests } = await write(run, "again-1.jsonl");
  const refusal = async (...args: string[]): Promise<string> => {
    const { code, stderr } = await place.catgen(["batch", "write", "--run", run.name, ...args, "--quiet"], run.env);
    expect(code).toBe(64);
    return stderr;
  };
  expect(await refusal(join(place.folder, "again-1.jsonl"))).toContain("exists already");
  expect(await refusal(join(place.folder, "again-2.jsonl"))).toContain(`${requests} requests of earlier batches have no result yet`);
  expect(await write(run, "again-2.jsonl", "--again")).toMatchObject({ wave: 2, requests });
});
