import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { availableParallelism, cpus } from "node:os";

/** Middle of an odd number of figures. */
export const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

export interface Cost {
  readonly seconds: number;
  /** Of the process and its threads, user and system. */
  readonly cpuSeconds: number;
  readonly peakMegabytes: number;
}

const ticksPerSecond = 100; // CLK_TCK on every Linux we know

/** Runs a command and watches it through /proc (Linux): wall clock, CPU, peak memory. Throws when it fails. */
export function costOf(command: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Cost> {
  const [file = "", ...args] = command;
  const started = performance.now();
  const child = spawn(file, args, { env: { ...process.env, ...env }, stdio: ["ignore", "ignore", "pipe"] });
  const errors: Buffer[] = [];
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
      cpuSeconds = (Number(stat[11]) + Number(stat[12])) / ticksPerSecond;
    } catch {
      // it has just ended: the last look stands
    }
  };
  const timer = setInterval(look, 50);
  return new Promise((done, fail) => {
    child.on("error", fail);
    child.on("close", (code) => {
      clearInterval(timer);
      if (code === 0) done({ seconds: (performance.now() - started) / 1000, cpuSeconds, peakMegabytes });
      else fail(new Error(`${command.join(" ")} ended with ${code}: ${Buffer.concat(errors).toString("utf8").slice(-2_000)}`));
    });
  });
}

export const machine = (): string => `${cpus()[0]?.model ?? "unknown CPU"}, ${availableParallelism()} cores, Node ${process.version}`;

export const print = (head: readonly string[], rows: readonly (readonly (string | number)[])[]): void => {
  const cells = [head, ...rows].map((row) => row.map(String));
  const widths = head.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  for (const row of cells)
    console.log(
      row.map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join("  "),
    );
};
