/**
 * How well 256 calls are kept in flight at an endpoint that takes 500 ms for each, and what a call costs us; then at one that answers at
 * once, where we and the endpoint's process are all there is to wait for:
 *
 *     npx tsx test/bench/condenser.bench.ts [calls] [in flight] [ms per reply]
 *
 * With 0 ms only the second. The endpoint is a process of its own. Ideal: calls / in flight x ms. Beside it AsyncOpenAI behind a semaphore.
 */
import { fork } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadTokenizer } from "../../pipeline/adapters/tokenizer.ts";
import { openBackbone } from "../../pipeline/llm/backbone.ts";
import { startFakeServer } from "../fakes/openai-server.ts";
import { type Cost, costOf, fixed, guard, machine, median, print, python, pythonScript } from "./lib.ts";

const calls = Number(process.argv[2] ?? 7_680);
const atOnce = Number(process.argv[3] ?? 256);
const delayMs = Number(process.argv[4] ?? 500);
const rounds = 5;
const mode = process.argv[5];
const fold = "some words of a fold ".repeat(1_000); // about 5,000 tokens, a third of Table 1's mean fold

async function serve(): Promise<void> {
  const server = await startFakeServer({ delayMs, reply: () => "## Task\n- noted\n".repeat(60) });
  process.send?.(server.baseUrl);
  process.on("disconnect", () => process.exit());
}

/** The product's own client: cache, ledger and budget included, on fresh folders. */
async function ask(baseUrl: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "catgen-bench-"));
  const settings = {
    baseUrl,
    model: "fake-model",
    apiKey: null,
    temperature: 0,
    topP: null,
    seed: null,
    extraBody: {},
    concurrency: atOnce,
    maxAttempts: 1,
    timeoutMs: 60_000,
    budget: { tokens: null, money: null, currency: "USD" },
    price: null,
  };
  const tokenizer = loadTokenizer("qwen2.5");
  const backbone = await openBackbone({
    settings,
    cacheDir: join(folder, "cache"),
    ledgerDir: join(folder, "ledger"),
    countTokens: (text) => tokenizer.count(text),
    signal: new AbortController().signal,
  });
  const startedCpu = process.cpuUsage();
  const started = performance.now();
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let number = next++; number < calls; number = next++)
      await backbone.complete({
        label: `bench:${number}`,
        messages: [{ role: "user", content: `${number} ${fold}` }],
        tools: [],
        maxTokens: 1_000,
        temperature: null,
        sampleIndex: 0,
      });
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  const seconds = (performance.now() - started) / 1000;
  const { user, system } = process.cpuUsage(startedCpu);
  await backbone.close();
  await rm(folder, { recursive: true, force: true });
  console.log(JSON.stringify({ seconds, cpuMs: (user + system) / 1000 / calls, peakMegabytes: process.resourceUsage().maxRSS / 1024 }));
}

/** Calls/s, CPU and memory where the endpoint takes no time: what one process can ask, whatever serves it. */
async function atOnceAnswered(): Promise<void> {
  const args = [String(calls), String(atOnce), "0"];
  const server = fork(import.meta.filename, [...args, "serve"], { execArgv: ["--import", "tsx"] });
  const baseUrl = await new Promise<string>((done) => server.once("message", (url) => done(String(url))));
  const ours: { seconds: number; cpuMs: number; peakMegabytes: number }[] = [];
  try {
    for (let round = 0; round < rounds; round += 1)
      ours.push(JSON.parse((await costOf([process.execPath, "--import", "tsx", import.meta.filename, ...args, baseUrl])).stdout));
  } finally {
    server.disconnect();
  }
  const rate = median(ours.map((one) => calls / one.seconds));
  const cpuMs = median(ours.map((one) => one.cpuMs));
  console.log(`\n${calls} calls, ${atOnce} in flight, an endpoint of 0 ms in a process beside; median of ${rounds}\n`);
  print(
    ["", "calls/s", "CPU ms per call", "peak MB"],
    [["catgen (cache, ledger, budget)", fixed(rate, 0), fixed(cpuMs, 2), fixed(Math.max(...ours.map((one) => one.peakMegabytes)), 0)]],
  );
  console.log();
  // Our bound: 30,000 generated tokens a second are 30 memories of 1,000 tokens; ten times that, and the endpoint is the limit.
  guard("calls/s against 300", rate / 300, 1);
}

async function compare(): Promise<void> {
  const server = fork(import.meta.filename, [String(calls), String(atOnce), String(delayMs), "serve"], { execArgv: ["--import", "tsx"] });
  const baseUrl = await new Promise<string>((done) => server.once("message", (url) => done(String(url))));
  const ours: { seconds: number; cpuMs: number; peakMegabytes: number }[] = [];
  const theirs: Cost[] = [];
  try {
    for (let round = 0; round < rounds; round += 1) {
      const args = [String(calls), String(atOnce), String(delayMs), baseUrl];
      ours.push(JSON.parse((await costOf([process.execPath, "--import", "tsx", import.meta.filename, ...args])).stdout));
      if (python !== null) theirs.push(await costOf([python, pythonScript("ask"), baseUrl, String(calls), String(atOnce)]));
    }
  } finally {
    server.disconnect();
  }
  const ideal = ((calls / atOnce) * delayMs) / 1000;
  const seconds = median(ours.map((one) => one.seconds));
  const cpuMs = median(ours.map((one) => one.cpuMs));
  console.log(
    `${machine()}\n${calls} calls, ${atOnce} in flight, an endpoint of ${delayMs} ms in a process beside: ideal ${fixed(ideal, 2)} s; median of ${rounds}\n`,
  );
  print(
    ["", "s", "of the ideal", "CPU ms per call", "peak MB"],
    [
      [
        "catgen (cache, ledger, budget)",
        fixed(seconds, 2),
        fixed(ideal / seconds, 2),
        fixed(cpuMs, 2),
        fixed(Math.max(...ours.map((one) => one.peakMegabytes)), 0),
      ],
      ...(python === null
        ? []
        : [
            [
              "python: AsyncOpenAI + Semaphore (whole process)",
              fixed(median(theirs.map((one) => one.seconds)), 2),
              fixed(ideal / median(theirs.map((one) => one.seconds)), 2),
              fixed((median(theirs.map((one) => one.cpuSeconds)) * 1000) / calls, 2),
              fixed(Math.max(...theirs.map((one) => one.peakMegabytes)), 0),
            ],
          ]),
    ],
  );
  console.log();
  guard("rate against the ideal", ideal / seconds, 0.9);
  guard("2 ms of CPU against what a call takes", 2 / cpuMs, 1);
}

if (mode === undefined) {
  if (delayMs > 0) await compare();
  await atOnceAnswered();
} else if (mode === "serve") await serve();
else await ask(mode);
