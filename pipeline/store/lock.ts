import { randomUUID } from "node:crypto";
import { link, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import { Fault } from "../../schemas/fault.ts";
import { asIoFault, temporaryName } from "./atomic.ts";
import { sha256 } from "./digest.ts";

interface Owner {
  readonly host: string;
  readonly pid: number;
  readonly since: string;
  /** Tells two processes apart that happen to have the same number. */
  readonly token: string;
}

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM"; // it exists and belongs to somebody else
  }
}

async function readOwner(path: string): Promise<Owner | null> {
  try {
    return JSON.parse(await readFile(path, "utf8")) as Owner;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    return { host: hostname(), pid: 0, since: "an unknown time", token: "" }; // torn: whoever wrote it is gone
  }
}

const isStale = (owner: Owner | null): boolean => owner === null || (owner.host === hostname() && (owner.pid === 0 || !alive(owner.pid)));

/**
 * Removes a stale lock. Only the one process that can make the marker of this very lock may do so, and only while it is still there, so
 * that nobody who saw it stale a moment ago removes the lock of whoever came after.
 */
async function removeStale(path: string, stale: Owner, mine: string): Promise<void> {
  const marker = `${path}.taken-${sha256(JSON.stringify(stale)).slice(0, 12)}`;
  const first = await link(mine, marker).then(
    () => true,
    () => false,
  );
  if (!first) {
    if (isStale(await readOwner(marker))) await rm(marker, { force: true }); // its maker died at it
    await new Promise((done) => setTimeout(done, 5));
    return;
  }
  const now = await readOwner(path);
  if (now !== null && JSON.stringify(now) === JSON.stringify(stale)) await rm(path, { force: true });
  else await rm(marker, { force: true });
}

const held = (folder: string, path: string, owner: Owner): Fault =>
  new Fault(
    "RUN_LOCKED",
    "stop",
    `${folder} is being worked on by process ${owner.pid} on ${owner.host} since ${owner.since}; wait for it, or stop it${owner.host === hostname() ? "" : ` (when it is surely gone, delete ${path})`}`,
  );

async function release(path: string, mine: Owner): Promise<void> {
  if ((await readOwner(path))?.token === mine.token) await rm(path, { force: true });
  const folder = dirname(path);
  for (const name of await readdir(folder)) if (name.startsWith("lock.json.taken-")) await rm(join(folder, name), { force: true });
}

/**
 * Takes the run's lock by link(2), which only one process can win, and returns its release. A lock whose process is gone (same host)
 * is taken over; a live one is a fault that names host and pid.
 */
export async function lockRun(folder: string): Promise<() => Promise<void>> {
  const path = join(folder, "lock.json");
  const mine: Owner = { host: hostname(), pid: process.pid, since: new Date().toISOString(), token: randomUUID() };
  const temporary = temporaryName(path);
  try {
    await mkdir(folder, { recursive: true });
    await writeFile(temporary, JSON.stringify(mine), { flag: "wx" });
    for (let attempt = 0; attempt < 100; attempt += 1) {
      const won = await link(temporary, path).then(
        () => true,
        (error: NodeJS.ErrnoException) => {
          if (error.code === "EEXIST") return false;
          throw error;
        },
      );
      if (won) return () => release(path, mine);
      const owner = await readOwner(path);
      if (owner === null) continue; // it has just been released
      if (!isStale(owner)) throw held(folder, path, owner);
      await removeStale(path, owner, temporary);
    }
  } catch (error) {
    throw asIoFault(error, `locking the run ${folder}`);
  } finally {
    await rm(temporary, { force: true }).catch(() => undefined);
  }
  throw new Fault("RUN_LOCKED", "stop", `several processes compete for ${folder}; run again when one of them is done`);
}
