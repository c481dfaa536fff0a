import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { type Backbone, type BackboneOptions, openBackbone } from "../../../pipeline/llm/backbone.ts";
import type { EndpointSettings } from "../../../pipeline/llm/endpoint.ts";
import { LedgerRow } from "../../../pipeline/llm/ledger.ts";
import type { World } from "../../../pipeline/llm/retry.ts";
import type { Completion } from "../../../schemas/completion.ts";
import { Fault } from "../../../schemas/fault.ts";
import { type FakeServer, type FakeServerOptions, fakeTokens, startFakeServer } from "../../fakes/openai-server.ts";

export const key = "sk-secret-0123456789";

export const settingsFor = (baseUrl: string, changes: Partial<EndpointSettings> = {}): EndpointSettings => ({
  baseUrl,
  model: "fake-model",
  apiKey: key,
  temperature: 0,
  topP: null,
  seed: null,
  extraBody: {},
  concurrency: 4,
  maxAttempts: 3,
  timeoutMs: 5_000,
  budget: { tokens: null, money: null, currency: "USD" },
  price: null,
  ...changes,
});

export const ask = (text: string, changes: Partial<Completion> = {}): Completion => ({
  label: `condense:${text}`,
  messages: [{ role: "user", content: text }],
  tools: [],
  maxTokens: 100,
  temperature: null,
  sampleIndex: 0,
  ...changes,
});

/** Time passes only in sleeps, which are written down; chance is always one half. */
export interface FakeWorld extends World {
  readonly sleeps: number[];
}
export function fakeWorld(): FakeWorld {
  let now = Date.parse("2026-01-01T00:00:00Z");
  const sleeps: number[] = [];
  return {
    sleeps,
    now: () => now,
    random: () => 0.5,
    async sleep(ms) {
      sleeps.push(ms);
      now += ms;
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

export interface Bench {
  readonly folder: string;
  readonly server: FakeServer;
  readonly world: FakeWorld;
  /** Opens a further backbone over the same folders, as a second process or a resumed run would. */
  open(settings?: Partial<EndpointSettings>, options?: Partial<BackboneOptions>): Promise<Backbone>;
  ledger(): Promise<LedgerRow[]>;
}

export async function bench(serverOptions: FakeServerOptions = {}): Promise<Bench> {
  const folder = await tempFolder();
  const server = await startFakeServer(serverOptions);
  const world = fakeWorld();
  onTestFinished(() => server.close());
  return {
    folder,
    server,
    world,
    open: (settings = {}, options = {}) =>
      openBackbone({
        settings: settingsFor(server.baseUrl, settings),
        cacheDir: join(folder, "cache"),
        ledgerDir: join(folder, "ledger"),
        countTokens: fakeTokens,
        signal: new AbortController().signal,
        world,
        ...options,
      }),
    ledger: async () => (await linesIn(join(folder, "ledger"))).map((line) => LedgerRow.parse(JSON.parse(line))),
  };
}

export async function tempFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "catgen-llm-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

export async function linesIn(folder: string): Promise<string[]> {
  const names = (await readdir(folder)).sort();
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), "utf8")));
  return texts.flatMap((text) => text.split("\n").filter((line) => line !== ""));
}

/** The fault a promise fails with; anything else is a failed test. */
export async function faultOf(promise: Promise<unknown>): Promise<Fault> {
  const outcome = await promise.then(
    (value) => value,
    (error: unknown) => error,
  );
  if (outcome instanceof Fault) return outcome;
  throw new Error("expected a Fault", { cause: outcome });
}
