import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { Status } from "../../schemas/status.ts";
import { messageLines } from "../fakes/message-runs.ts";
import { type FakeRequest, type FakeServer, type FakeServerOptions, startFakeServer } from "../fakes/openai-server.ts";
import { memoryText } from "../invariants/placement.ts";
import { makePlace, type Place, startCatgen } from "./harness.ts";

/** Memories by a model: what the endpoint does wrong must cost neither data nor money twice. */

const memory = memoryText("noted in request");
const asksForMemory = ({ messages }: FakeRequest): boolean => messages[0]?.content?.includes("Now write the memory.") === true;
const reply = (request: FakeRequest): string => (asksForMemory(request) ? memory : "I have seen enough, so I will condense.");
const small = ["--set", "run.shards=2", "--set", "llm.maxAttempts=2"];

let place: Place;
let server: FakeServer | null = null;
let names = 0;
beforeAll(async () => {
  place = await makePlace();
  await place.write("in/runs.jsonl", messageLines([{ instance: "a__a-1" }, { instance: "b__b-2" }, { instance: "c__c-3", steps: 50 }]));
});
afterAll(() => place.remove());
afterEach(async () => {
  await server?.close();
  server = null;
});

async function serve(
  options: FakeServerOptions = {},
): Promise<{ fake: FakeServer; env: Record<string, string>; name: string; args: string[] }> {
  server = await startFakeServer({ reply, ...options });
  names += 1;
  const name = `llm-${names}`;
  const env = {
    CATGEN_BASE_URL: server.baseUrl,
    CATGEN_MODEL: "fake-model",
    CATGEN_API_KEY: "sk-secret-value",
    CATGEN_CACHE: join(place.folder, `cache-${names}`),
  };
  return { fake: server, env, name, args: ["run", "all", "--run", name, "--input", join(place.folder, "in"), ...small] };
}

const condensed = (status: Status) => status.stages.find(({ name }) => name === "condense")?.rows;

test("with an endpoint the model writes the memories, every row says so, and another run pays nothing", async () => {
  const { fake, env, name, args } = await serve();
  const status = await place.json<Status>(args, env);
  const calls = fake.requests.length;
  expect(calls).toBeGreaterThan(3);
  expect(status.spent).toMatchObject({ calls, cached: 0 });
  const shown = await place.json<{ memory: { value: { blocks: { writer: Record<string, unknown>; memory: string }[] } } }>(
    ["show", "c__c", "--run", name],
    env,
  );
  expect(shown.memory.value.blocks[0]?.writer).toMatchObject({
    condenser: "llm",
    model: "fake-model",
    attempt: 0,
    transport: "json-schema",
    thought: { by: "llm", model: "fake-model" },
  });
  const other = await place.json<Status>([...args.slice(0, 3), "again", ...args.slice(4)], env);
  expect(fake.requests.length).toBe(calls);
  expect(other.spent).toMatchObject({ calls: 0, cached: calls });
});

test("a changed threshold makes no call, a changed temperature asks again", async () => {
  const { fake, env, name, args } = await serve();
  await place.json(args, env);
  const calls = fake.requests.length;
  await place.json(["run", "all", "--run", name, "--set", "filter.minSteps=35"], env);
  expect(fake.requests.length).toBe(calls);
  await place.json(["run", "all", "--run", name, "--set", "llm.temperature=0.7"], env);
  expect(fake.requests.length).toBe(2 * calls);
});

test("a memory without the sections asked for is asked for again, then the trajectory is rejected by name", async () => {
  const { fake, env, args } = await serve({ reply: () => "I would rather chat." });
  const status = await place.json<Status>(args, env);
  expect(condensed(status)).toMatchObject({ in: 3, out: 0, rejected: { "memory-sections-missing": 3 } });
  expect(fake.requests.filter(asksForMemory).length).toBe(9); // three attempts each
  expect(status.stages.find(({ name }) => name === "judge")?.rows).toMatchObject({ in: 3, out: 3 });
});

for (const [title, fault] of [
  ["closes the connection", { kind: "close" }],
  ["answers HTML with status 200", { kind: "html" }],
  ["answers without choices", { kind: "no-choices" }],
  ["breaks off in the middle of the JSON", { kind: "half-json" }],
  ["stalls", { kind: "stall" }],
] as const) {
  test(`an endpoint that ${title}: the record waits, the rest is done, status 75, and the next run heals it`, async () => {
    let bad = true;
    const { env, name, args } = await serve({
      fault: ({ messages }) => (bad && messages[0]?.content?.includes("b__b-2") === true ? fault : null),
    });
    const broken = await place.catgen([...args, "--quiet", "--json", "--set", "llm.timeoutMs=400"], env);
    expect(broken.code).toBe(75);
    expect(broken.stderr).toMatch(/1 records failed.*b__b-2/);
    expect(broken.stderr).not.toContain("sk-secret-value");
    expect(condensed(JSON.parse(broken.stdout) as Status)).toMatchObject({ in: 3, out: 2, failed: 1 });
    bad = false;
    const healed = await place.json<Status>(["run", "all", "--run", name], env);
    expect(condensed(healed)).toMatchObject({ in: 3, out: 3, failed: 0 });
    for (const stage of healed.stages) expect(stage.rows.failed).toBe(0);
  });
}

test("nothing listening ends with 75 and names the endpoint", async () => {
  const { fake, env, args } = await serve();
  await fake.close();
  server = null;
  const { code, stderr } = await place.catgen([...args, "--quiet"], env);
  expect(code).toBe(75);
  expect(stderr).toContain("127.0.0.1");
});

test("a refused key stops at once with 78, and the key is in no message", async () => {
  const { fake, env, args } = await serve({ fault: () => ({ kind: "status", status: 401, message: "bad key sk-secret-value" }) });
  const { code, stderr } = await place.catgen([...args, "--quiet"], env);
  expect(code).toBe(78);
  expect(stderr).not.toContain("sk-secret-value");
  expect(fake.requests.length).toBeLessThanOrEqual(3);
});

test("a model is asked for without an endpoint: 78 and what to set", async () => {
  const { code, stderr } = await place.catgen([
    "run",
    "all",
    "--run",
    "none",
    "--input",
    join(place.folder, "in"),
    "--set",
    "condense.condenser=llm",
    "--quiet",
  ]);
  expect(code).toBe(78);
  expect(stderr).toContain("CATGEN_BASE_URL");
});

test("a spent budget stops with 75, and more budget goes on without paying twice", async () => {
  const { fake, env, name, args } = await serve();
  const { code, stderr } = await place.catgen([...args, "--quiet", "--set", "llm.budget.tokens=20000"], env);
  expect(code).toBe(75);
  expect(stderr).toContain("budget");
  const paid = fake.requests.length;
  await place.json(["run", "all", "--run", name, "--set", "llm.budget.tokens=null"], env);
  const bodies = fake.requests.map(({ body }) => JSON.stringify(body));
  expect(new Set(bodies).size).toBe(bodies.length);
  expect(fake.requests.length).toBeGreaterThan(paid);
});

test("a refusal of the request itself rejects that trajectory and no other", async () => {
  const { env, args } = await serve({
    fault: ({ messages }) => (messages[0]?.content?.includes("b__b-2") === true ? { kind: "context-length" } : null),
  });
  const status = await place.json<Status>(args, env);
  expect(condensed(status)).toMatchObject({ in: 3, out: 2, rejected: { "request-refused": 1 } });
});

for (const signal of ["SIGINT", "SIGKILL"] as const) {
  test(`after ${signal} in the middle of stage 3 no completed call is paid again`, async () => {
    const { fake, env, name, args } = await serve({ delayMs: 150 });
    const child = startCatgen(place.runs, [...args, "--quiet", "--set", "llm.concurrency=1"], env);
    const ended = new Promise<number | null>((done) => child.on("close", done));
    while (fake.requests.length < 3 && child.exitCode === null) await new Promise((done) => setTimeout(done, 10));
    child.kill(signal);
    const code = await ended;
    if (signal === "SIGINT") expect(code).toBe(75);
    const status = await place.json<Status>(["run", "all", "--run", name], env);
    expect(condensed(status)).toMatchObject({ in: 3, out: 3, failed: 0 });
    const bodies = fake.requests.map(({ body }) => JSON.stringify(body));
    expect(bodies.length - new Set(bodies).size).toBeLessThanOrEqual(signal === "SIGKILL" ? 1 : 0); // the one in flight
  });
}

test("an endpoint that refuses schemas and tools is asked in words, having been asked once about each", async () => {
  const way = ({ body }: FakeRequest): string =>
    body["response_format"] !== undefined ? "json-schema" : body["tool_choice"] !== undefined ? "tool" : "text";
  const { fake, env, name, args } = await serve({
    fault: (request) => (way(request) === "text" ? null : { kind: "status", status: 400, message: "unknown field" }),
  });
  const status = await place.json<Status>(args, env);
  expect(condensed(status)).toMatchObject({ in: 3, out: 3 });
  expect(
    fake.requests
      .filter(asksForMemory)
      .map(way)
      .filter((one) => one !== "text"),
  ).toEqual(["json-schema", "tool"]);
  const shown = await place.json<{ memory: { value: { blocks: { writer: Record<string, unknown>; memory: string }[] } } }>(
    ["show", "c__c", "--run", name],
    env,
  );
  expect(shown.memory.value.blocks[0]).toMatchObject({ memory, writer: { transport: "text" } });
});
