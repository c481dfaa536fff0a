import { afterEach, expect, test } from "vitest";
import type { Status } from "../../schemas/status.ts";
import type { FakeFault, FakeServerOptions } from "../fakes/openai-server.ts";
import { makeReference } from "./kill.ts";
import {
  asked,
  chanceOf,
  concurrency,
  expectWhole,
  keptKeys,
  mustRun,
  openYard,
  run,
  type Site,
  seeded,
  siteAt,
  type Yard,
} from "./lib.ts";

/** Rows 3 to 6 through the command line, where test/e2e and test/pipeline/llm do not go: many faults at once, and what is asked again. */

let yard: Yard | null = null;
afterEach(async () => {
  await yard?.close();
  yard = null;
});

async function open(endpoint: FakeServerOptions): Promise<Yard & { server: NonNullable<Yard["server"]> }> {
  yard = await openYard({ endpoint });
  if (yard.server === null) throw new Error("a yard with an endpoint has a server");
  return { ...yard, server: yard.server };
}

const status = (code: number): FakeFault => ({ kind: "status", status: code });
/** All that may go better the next time. */
const passing: readonly FakeFault[] = [
  ...[408, 409, 425, 429, 500, 502, 503, 504, 520, 529].map(status),
  { kind: "close" },
  { kind: "reset" },
  { kind: "stall" },
  { kind: "stall-in-body" },
  { kind: "drip", everyMs: 50 },
  { kind: "huge", bytes: 50 << 20 },
  ...(["html", "empty-body", "half-json", "no-choices", "content-null", "content-empty", "nan-tokens", "error-with-200"] as const).map(
    (kind) => ({ kind }),
  ),
  { kind: "finish", reason: "length" },
  { kind: "finish", reason: "content_filter" },
];
const patient = ["--set", "llm.maxAttempts=100", "--set", "llm.timeoutMs=1500", "--set", "llm.idleTimeoutMs=500"];

test("a storm of every passing fault changes no byte, and no reply that arrived is asked for again", () =>
  seeded("storm", async () => {
    const chance = chanceOf("storm");
    let storm = false;
    let next = 0;
    const here = await open({ fault: () => (storm && chance.next() < 0.5 ? (passing[next++ % passing.length] ?? null) : null) });
    const reference = await makeReference(here);
    storm = true;
    const from = here.server.requests.length;
    const site = siteAt(here, "storm");
    await mustRun(site, [...here.all, ...patient]);
    await expectWhole(site, reference.files);
    const { requests, distinct } = asked(here.server, from);
    expect(distinct).toBe(reference.calls);
    expect(requests - distinct).toBe(next); // one more for each fault, and none else
    const keys = await keptKeys(site);
    expect(keys.length).toBe(reference.calls);
    const { spent } = JSON.parse((await mustRun(site, ["status"])).stdout) as Status;
    expect(spent.calls).toBe(requests); // the ledger has every attempt
  }));

test.each([
  ["seconds", () => "2"],
  ["a date", () => new Date(Date.now() + 3_000).toUTCString()],
])("after a 429 with Retry-After in %s nothing is asked before that time", async (_form, header) => {
  const arrivals: number[] = [];
  let told = false;
  const here = await open({
    fault: () => {
      arrivals.push(Date.now());
      if (told) return null;
      told = true;
      return { kind: "status", status: 429, headers: { "retry-after": header() } };
    },
  });
  const site = siteAt(here, "told");
  await mustRun(site, [...here.all, "--set", "llm.concurrency=1"]);
  const [first = 0, second = 0] = arrivals;
  expect(second - first).toBeGreaterThanOrEqual(1_900); // dates have whole seconds
});

async function expectToWait(site: Site, fault: (on: boolean) => void): Promise<void> {
  fault(true);
  const { code, stderr } = await run(site, [...site.yard.all, "--set", "llm.maxAttempts=2"]);
  expect(`${code} ${stderr}`).toMatch(/^75 /);
  fault(false);
}

for (const [title, fault] of [
  ["429 for ever", status(429)],
  ["503 for ever", status(503)],
] as const) {
  test(`${title} ends with 75, and the next run asks only for what is missing`, async () => {
    let on = false;
    const here = await open({ fault: () => (on ? fault : null) });
    const reference = await makeReference(here);
    const site = siteAt(here, "waits");
    await expectToWait(site, (now) => {
      on = now;
    });
    const from = here.server.requests.length;
    await mustRun(site, here.all);
    expect(asked(here.server, from)).toEqual({ requests: reference.calls, distinct: reference.calls });
    await expectWhole(site, reference.files);
  });
}

test.each([403, 404])("HTTP %i stops at once with 78 and marks nothing as failed; what was paid is not asked again", async (code) => {
  let answered = 0;
  let on = true;
  const here = await open({ fault: () => (on && ++answered > 6 ? status(code) : null) });
  const site = siteAt(here, "refused");
  const stopped = await run(site, here.all);
  expect(stopped.code).toBe(78);
  expect(here.server.requests.length).toBeLessThanOrEqual(6 + concurrency);
  const { stages } = JSON.parse((await mustRun(site, ["status"])).stdout) as Status;
  for (const { rows } of stages) expect(rows.failed).toBe(0);
  on = false;
  const kept = (await keptKeys(site)).length;
  expect(kept).toBe(6);
  const from = here.server.requests.length;
  await mustRun(site, here.all);
  expect((await keptKeys(site)).length).toBe(kept + here.server.requests.length - from);
});
