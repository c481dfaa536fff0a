/**
 * What the loop and the sandbox of a live run cost beside the commands themselves, with a model that answers at once:
 *
 *     npx tsx test/bench/rollouts.bench.ts [steps]
 *
 * Beside it mini-swe-agent's own loop on the same script, which starts a process (or a bubblewrap) for every command.
 */
import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import PQueue from "p-queue";
import { chooseSandbox } from "../../pipeline/sandboxes/choose.ts";
import type { SandboxKind } from "../../pipeline/sandboxes/kind.ts";
import type { Reply } from "../../schemas/completion.ts";
import { PersonaRecipe } from "../../schemas/recipe/persona.ts";
import { none } from "../../stages/generate/rollout/policies/none.ts";
import { rollOut } from "../../stages/generate/rollout/roll-out.ts";
import type { SandboxSpec } from "../../stages/lib/sandbox.ts";
import { costOf, fixed, guard, machine, median, miniSweAgentPython, print, pythonScript, repository } from "./lib.ts";

const steps = Number(process.argv[2] ?? 50);
const rounds = 5;
const project = join(repository, "data/demo/projects/stanza");
const workdir = "/workspace/stanza";
const spec: SandboxSpec = {
  image: null,
  workdir,
  tree: { folder: project },
  limits: { memoryBytes: 4 * 2 ** 30, processes: 256, fileBytes: 2 ** 28, diskBytes: 2 ** 30, cpuSeconds: 600 },
};
const limits = { timeoutMs: 10_000, outputBytes: 100_000 };

const call = (name: string, given: unknown): Reply => ({
  text: "look",
  reasoning: null,
  calls: [{ id: "x", name, arguments: JSON.stringify(given) }],
  model: "none",
  tokensIn: null,
  tokensOut: null,
  cached: false,
});

/** One run of `steps` turns: `true` again and again, with a word that tells them apart, then submit. */
async function once(kind: SandboxKind): Promise<{ openMs: number; stepMs: number; patchMs: number }> {
  const turns: number[] = [];
  let started = performance.now();
  const sandbox = await kind.open(spec);
  const openMs = performance.now() - started;
  let turn = 0;
  started = performance.now();
  const { end } = await rollOut(
    {
      label: "bench",
      conversation: none.open({
        opening: { system: "s", prompt: "t", tools: [] },
        persona: PersonaRecipe.parse({}),
        keepSteps: 3,
        memory: { memoryBaseTokens: 256, memoryShare: 0.15, memoryCapTokens: 8_192 },
        countTokens: (text) => text.length,
      }),
      workdir,
      sample: 0,
      temperature: null,
      windowTokens: 1e9,
      replyTokens: 1,
      limits: { maxSteps: 1e9, maxTokens: null, maxCost: null, maxMinutes: null, maxIdleTurns: 1e9 },
      toolLimits: { commandTimeoutMs: 10_000, observationChars: 16_000, fileBytes: 1e6 },
    },
    sandbox,
    {
      complete: async () => {
        turn += 1;
        return turn < steps ? call("execute_bash", { command: `true ${turn}` }) : call("submit", {});
      },
      countTokens: (text) => text.length,
      now: () => performance.now(),
      costOf: () => 0,
      shown: (text) => text,
      meant: (text) => text,
      onTurn: async () => void turns.push(performance.now()),
    },
  );
  const patchMs = performance.now() - (turns.at(-1) ?? started);
  const stepMs = median(turns.slice(1).map((at, index) => at - (turns[index] ?? at)));
  await sandbox.destroy();
  if (end.exit !== "submitted") throw new Error(`ended as ${end.exit}`);
  return { openMs, stepMs, patchMs };
}

/** The bare command: one line to a bash over pipes, one line back. */
async function bareCommandMs(): Promise<number> {
  const bash = spawn("bash", ["--norc"], { stdio: ["pipe", "pipe", "ignore"] });
  const lines = createInterface({ input: bash.stdout })[Symbol.asyncIterator]();
  const times: number[] = [];
  for (let turn = 0; turn < 201; turn += 1) {
    const started = performance.now();
    bash.stdin.write(`true ${turn}; echo $?\n`);
    await lines.next();
    times.push(performance.now() - started);
  }
  bash.kill();
  return median(times);
}

async function execMs(kind: SandboxKind): Promise<number> {
  const sandbox = await kind.open(spec);
  const times: number[] = [];
  for (let turn = 0; turn < 201; turn += 1) {
    const started = performance.now();
    await sandbox.exec(`true ${turn}`, limits);
    times.push(performance.now() - started);
  }
  await sandbox.destroy();
  return median(times);
}

/** Resident memory of all descendants of this process, MB; shared pages are counted in each. */
function descendantMegabytes(): number {
  const parents = new Map<number, { parent: number; kilobytes: number }>();
  for (const entry of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const status = readFileSync(`/proc/${entry}/status`, "utf8");
      parents.set(Number(entry), {
        parent: Number(/PPid:\s+(\d+)/.exec(status)?.[1]),
        kilobytes: Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0),
      });
    } catch {
      // it has just ended
    }
  }
  const isOurs = (pid: number): boolean => pid === process.pid || (parents.has(pid) && isOurs(parents.get(pid)?.parent ?? 0));
  let sum = 0;
  for (const [pid, { kilobytes }] of parents) if (pid !== process.pid && isOurs(pid)) sum += kilobytes;
  return sum / 1024;
}

async function perMinute(kind: SandboxKind, atOnce: number): Promise<{ rate: number; megabytes: number }> {
  const queue = new PQueue({ concurrency: atOnce });
  const count = Math.max(24, atOnce * 3);
  let most = 0;
  const timer = setInterval(() => {
    most = Math.max(most, descendantMegabytes());
  }, 200);
  const started = performance.now();
  await Promise.all(Array.from({ length: count }, () => queue.add(() => once(kind))));
  clearInterval(timer);
  return { rate: (count / (performance.now() - started)) * 60_000, megabytes: most / atOnce };
}

const kind = await chooseSandbox({ kind: "auto", image: false, warn: console.log }).catch((error: Error) => {
  console.log(`not measured: ${error.message}`);
  return null;
});
if (kind !== null) {
  const runs: Awaited<ReturnType<typeof once>>[] = [];
  const bare: number[] = [];
  const exec: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    bare.push(await bareCommandMs());
    exec.push(await execMs(kind));
    runs.push(await once(kind));
  }
  const stepMs = median(runs.map((run) => run.stepMs));
  console.log(`${machine()}\nsandbox ${kind.name}, runs of ${steps} steps, a model that answers at once, median of ${rounds}\n`);
  const mini =
    miniSweAgentPython === null
      ? {}
      : (JSON.parse(
          (await costOf([miniSweAgentPython, pythonScript("mini_loop"), String(steps), String(rounds)])).stdout.trim().split("\n").at(-1) ??
            "{}",
        ) as Record<string, number>);
  print(
    ["", "ms"],
    [
      ["one command in a bare bash", fixed(median(bare), 2)],
      ["one command in the sandbox's bash", fixed(median(exec), 2)],
      ["one step of the loop, its command included", fixed(stepMs, 2)],
      ["taking the patch at the end", fixed(median(runs.map((run) => run.patchMs)), 0)],
      ["starting a sandbox, with its tree and commit", fixed(median(runs.map((run) => run.openMs)), 0)],
      ...Object.entries(mini).map(([name, ms]) => [`mini-swe-agent, one step, ${name}`, fixed(ms, 2)]),
    ],
  );
  console.log();
  const rates: [number, { rate: number; megabytes: number }][] = [];
  for (const atOnce of [1, 8, 32]) rates.push([atOnce, await perMinute(kind, atOnce)]);
  print(
    ["runs at once", "runs per minute", "MB per run"],
    rates.map(([atOnce, { rate, megabytes }]) => [String(atOnce), fixed(rate, 0), fixed(megabytes)]),
  );
  console.log();
  guard("2 ms against what loop and sandbox add to a command", 2 / (stepMs - median(bare)), 1);
  const theirs = mini["bubblewrap"] ?? mini["local"];
  if (theirs !== undefined) guard("a step against mini-swe-agent's", theirs / stepMs, 2);
}
