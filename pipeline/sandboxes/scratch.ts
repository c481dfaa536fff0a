import { createHash } from "node:crypto";
import { mkdtemp, readdir, readFile, readlink, statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "./inmate.ts";

/**
 * Who made something that outlives a `kill -9`: boot, process namespace and process. Its name is part of every scratch folder,
 * control group and container, so that the next process to come can tell which of them have no owner any more.
 */
const place = async (): Promise<string> => {
  const parts = await Promise.all([
    readFile("/proc/sys/kernel/random/boot_id", "utf8").catch(() => ""),
    readlink("/proc/self/ns/pid").catch(() => ""),
  ]);
  return createHash("sha256").update(parts.join()).digest("hex").slice(0, 8);
};
let here: Promise<string> | null = null;

export async function ownedPrefix(): Promise<string> {
  here ??= place();
  return `catgen-sandbox-${await here}-${process.pid}-`;
}

/** Of another boot or namespace nobody can see here whether its process lives. */
export async function isOrphan(name: string): Promise<boolean> {
  here ??= place();
  const [, where, pid] = /^catgen-sandbox-([0-9a-f]{8})-(\d+)-/.exec(name) ?? [];
  if (where !== (await here) || Number(pid) === process.pid) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
}

/** Others' folders may be nested deeper than any path may be long, and closed to their owner: `rm` copes with the one, `chmod` with the other. */
export async function removeTree(folder: string): Promise<void> {
  try {
    await run("rm", ["-rf", "--", folder]);
  } catch {
    await run("chmod", ["-R", "u+rwX", "--", folder]).catch(() => undefined);
    await run("rm", ["-rf", "--", folder]);
  }
}

let swept: Promise<void> | null = null;

async function sweep(): Promise<void> {
  for (const name of await readdir(tmpdir())) if (await isOrphan(name)) await removeTree(join(tmpdir(), name)).catch(() => undefined); // another's: not ours to remove
}

/** A new folder for one sandbox that only this user may enter. Removes once what killed processes left. */
export async function makeScratch(): Promise<string> {
  swept ??= sweep();
  await swept;
  return mkdtemp(join(tmpdir(), await ownedPrefix()));
}

async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

/** After this long the estimate below is made anew, ms: others may have freed space meanwhile, which hides what was written. */
const staleMs = 10_000;

/**
 * Bytes on disk under `folder`. Walking a large tree after each command would cost more than the commands: as long as the disk's
 * free space has not shrunk by what is still allowed, the last count is good enough.
 */
export function diskMeter(folder: string): (limit: number) => Promise<number> {
  let last: { readonly used: number; readonly free: number; readonly atMs: number } | null = null;
  return async (limit) => {
    const free = await freeBytes(folder);
    if (last !== null && Date.now() - last.atMs < staleMs && last.used <= limit && last.used + last.free - free < limit) return last.used;
    const counted = await run("du", ["-sk", "--", folder]).catch((error: { stdout: string }) => error); // some folder closed to us: the rest counts
    last = { used: Number.parseInt(counted.stdout, 10) * 1_024 || 0, free, atMs: Date.now() };
    return last.used;
  };
}
