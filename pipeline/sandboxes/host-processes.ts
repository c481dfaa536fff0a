import { readdir, readFile } from "node:fs/promises";
import { run } from "./inmate.ts";

export interface HostEntry {
  readonly pid: number;
  readonly parent: number;
  /** Ticks since boot at which it began: with the pid, which is used again, it tells processes apart. 0 where the system does not tell. */
  readonly born: number;
  /** Resident memory, bytes; 0 where the system does not tell cheaply. */
  readonly residentBytes: number;
}

const pageBytes = 4_096;

async function fromProc(pid: string): Promise<HostEntry | null> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => null); // it ended meanwhile
  if (stat === null) return null;
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" "); // the name before it may hold anything
  if (fields[0] === "Z" || fields[0] === "X") return null;
  return { pid: Number(pid), parent: Number(fields[1]), born: Number(fields[19]), residentBytes: Number(fields[21]) * pageBytes };
}

/** When a live process began; null: it ended. */
export const bornAt = async (pid: number): Promise<number | null> => (await fromProc(`${pid}`))?.born ?? null;

/** Every live process of this host, oldest first. Dead ones that nobody reaped do not count. */
async function processes(): Promise<HostEntry[]> {
  const names = await readdir("/proc").catch(() => []);
  const entries = await Promise.all(names.filter((name) => /^\d+$/.test(name)).map(fromProc));
  if (entries.length > 0) return entries.filter((entry) => entry !== null).sort((a, b) => a.born - b.born || a.pid - b.pid);
  const { stdout } = await run("ps", ["-axo", "pid=,ppid="]); // no /proc: not Linux
  return stdout
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number))
    .map(([pid = 0, parent = 0]) => ({ pid, parent, born: 0, residentBytes: 0 }));
}

/** Live processes below `pids`, themselves left out; parents before children, older children before younger. */
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
