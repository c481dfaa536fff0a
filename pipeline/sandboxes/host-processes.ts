import { readdir, readFile } from "node:fs/promises";
import { run } from "./inmate.ts";

export interface HostEntry {
  readonly pid: number;
  readonly parent: number;
  /** Resident memory, bytes; 0 where the system does not tell cheaply. */
  readonly residentBytes: number;
}

const pageBytes = 4_096;

async function fromProc(pid: string): Promise<HostEntry | null> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => null); // it ended meanwhile
  if (stat === null) return null;
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" "); // the name before it may hold anything
  if (fields[0] === "Z" || fields[0] === "X") return null;
  return { pid: Number(pid), parent: Number(fields[1]), residentBytes: Number(fields[21]) * pageBytes };
}

/** Every live process of this host. Dead ones that nobody reaped do not count. */
async function processes(): Promise<HostEntry[]> {
  const names = await readdir("/proc").catch(() => []);
  const entries = await Promise.all(names.filter((name) => /^\d+$/.test(name)).map(fromProc));
  if (entries.length > 0) return entries.filter((entry) => entry !== null);
  const { stdout } = await run("ps", ["-axo", "pid=,ppid="]); // no /proc: not Linux
  return stdout
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number))
    .map(([pid = 0, parent = 0]) => ({ pid, parent, residentBytes: 0 }));
}

/** Live processes below `pids`, themselves left out; parents before children. */
export async function descendants(...pids: readonly number[]): Promise<HostEntry[]> {
  const all = await processes();
  const found = all.filter(({ parent }) => pids.includes(parent));
  for (const { pid: above } of found) found.push(...all.filter(({ parent }) => parent === above)); // grows while it is walked
  return found;
}

/** A process that ended already, or is not ours any more, needs no signal. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // gone
  }
}
