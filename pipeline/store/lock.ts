import { link, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { Fault } from "../../schemas/fault.ts";
import { asIoFault, temporaryName } from "./atomic.ts";

interface Owner {
  readonly host: string;
  readonly pid: number;
  readonly since: string;
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
  } catch {
    return null; // gone meanwhile, or torn: either way nobody can be named
  }
}

const isStale = (owner: Owner | null): boolean => owner === null || (owner.host === hostname() && !alive(owner.pid));

/**
 * Takes the run's lock by link(2), which only one process can win, and returns its release. A lock whose process is gone (same host)
 * is taken over; a live one is a fault that names host and pid.
 */
export async function lockRun(folder: string): Promise<() => Promise<void>> {
  const path = join(folder, "lock.json");
  const mine: Owner = { host: hostname(), pid: process.pid, since: new Date().toISOString() };
  const temporary = temporaryName(path);
  try {
    await mkdir(folder, { recursive: true });
    await writeFile(temporary, JSON.stringify(mine), { flag: "wx" });
  } catch (error) {
    throw asIoFault(error, `locking the run ${folder}`);
  }
  try {
    for (let attempt = 0; attempt < 3; attempt += 1) {
      try {
        await link(temporary, path);
        return () => rm(path, { force: true });
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw asIoFault(error, `locking the run ${folder}`);
      }
      const owner = await readOwner(path);
      if (!isStale(owner))
        throw new Fault(
          "RUN_LOCKED",
          "stop",
          `${folder} is being worked on by process ${owner?.pid} on ${owner?.host} since ${owner?.since}; wait for it, or stop it`,
        );
      await rm(path, { force: true });
    }
    throw new Fault("RUN_LOCKED", "stop", `several processes compete for ${folder}; run again when one of them is done`);
  } finally {
    await rm(temporary, { force: true });
  }
}
