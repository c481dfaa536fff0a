import { randomUUID } from "node:crypto";
import { mkdir, readFile, rm } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { Fault } from "../../schemas/fault.ts";
import { asIoFault, createOnce, writeTextAtomically } from "./atomic.ts";

interface Owner {
  readonly host: string;
  readonly pid: number;
  readonly since: string;
  /** Boot and tick at which the process began: pids are used again. null where the system does not tell, or nobody wrote it down. */
  readonly born: string | null;
  /** Tells two holds of one process apart. */
  readonly token: string;
}

/** What /proc says of a process; null where there is no /proc, or no such process. */
async function processNow(pid: number): Promise<{ readonly zombie: boolean; readonly born: string } | null> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" "); // the name before it may hold anything
    const boot = (await readFile("/proc/sys/kernel/random/boot_id", "utf8")).trim();
    return { zombie: fields[0] === "Z" || fields[0] === "X", born: `${boot}/${fields[19]}` };
  } catch {
    return null;
  }
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM"; // it exists and belongs to somebody else
  }
}

/** In a container without an init nobody reaps, so that a killed process stays there as a zombie. */
async function alive(owner: Owner): Promise<boolean> {
  if (!exists(owner.pid)) return false;
  const now = await processNow(owner.pid);
  return now === null || (!now.zombie && ((owner.born ?? null) === null || owner.born === now.born));
}

async function readOwner(path: string): Promise<Owner | "torn" | "released"> {
  try {
    return JSON.parse(await readFile(path, "utf8")) as Owner;
  } catch (error) {
    if (error instanceof SyntaxError) return "torn"; // by a power cut: whoever wrote it is gone
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "released";
    throw error;
  }
}

const held = (folder: string, path: string, owner: Owner): Fault =>
  new Fault(
    "RUN_LOCKED",
    "stop",
    `${folder} is being worked on by process ${owner.pid} on ${owner.host} since ${owner.since}; wait for it, or stop it${owner.host === hostname() ? "" : ` (when it is surely gone, delete ${path})`}`,
  );

/** Of another host nobody can see whether its process lives. */
const isStale = async (owner: Owner): Promise<boolean> => owner.host === hostname() && !(await alive(owner));

/** Others come and go within microseconds: one of these tries meets a lock that stands, or none. */
const tries = 10;

async function hold(path: string, folder: string, mine: Owner): Promise<void> {
  for (let attempt = 0; attempt < tries; attempt += 1) {
    if (await createOnce(path, JSON.stringify(mine))) return;
    const owner = await readOwner(path);
    if (owner === "released") continue;
    if (owner !== "torn" && !(await isStale(owner))) throw held(folder, path, owner);
    if (await takeOver(path, folder, mine)) return;
  }
  throw new Fault("RUN_LOCKED", "stop", `several processes compete for ${folder}; run again when one of them is done`);
}

/**
 * Under a lock of its own, which is held and taken over in the same way: of two that found the same dead owner, the second would else
 * remove what the first has just taken.
 */
async function takeOver(path: string, folder: string, mine: Owner): Promise<boolean> {
  const guard = `${path}.takeover`;
  await hold(guard, folder, mine);
  try {
    const owner = await readOwner(path);
    if (owner === "released" || (owner !== "torn" && !(await isStale(owner)))) return false;
    await writeTextAtomically(path, JSON.stringify(mine)); // over the dead one's: at no moment is there none
    return true;
  } finally {
    await rm(guard, { force: true });
  }
}

/** Only what is still ours: after a takeover the lock is another's. */
async function release(path: string, mine: Owner): Promise<void> {
  if (JSON.stringify(await readOwner(path)) === JSON.stringify(mine)) await rm(path, { force: true });
}

/**
 * Takes the run's lock, which only one process can win, and returns its release. A lock whose process is gone (same host) is taken
 * over; a live one is a fault that names host and pid.
 */
export async function lockRun(folder: string): Promise<() => Promise<void>> {
  const path = join(folder, "lock.json");
  const born = (await processNow(process.pid))?.born ?? null;
  const mine: Owner = { host: hostname(), pid: process.pid, since: new Date().toISOString(), born, token: randomUUID() };
  try {
    await mkdir(folder, { recursive: true });
    await hold(path, folder, mine);
  } catch (error) {
    throw asIoFault(error, `locking the run ${folder}`);
  }
  return () => release(path, mine);
}
