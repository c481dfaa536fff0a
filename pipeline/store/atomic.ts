import { randomUUID } from "node:crypto";
import { type FileHandle, link, mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { Fault } from "../../schemas/fault.ts";
import { crashPoint } from "./crash-point.ts";

const advice: Record<string, string> = {
  ENOSPC: "the disk is full: free space and run again",
  EDQUOT: "the disk quota is used up: free space and run again",
  EFBIG: "the file is larger than this process may write: raise the limit (ulimit -f) and run again",
  EACCES: "no permission: check the owner and mode of the folder",
  EPERM: "no permission: check the owner and mode of the folder",
  EROFS: "the file system is read-only: choose another folder with --runs",
  ENOTDIR: "a file stands where a folder is expected",
  EEXIST: "a file stands where a folder is expected",
  EMFILE: "too many open files: raise the limit (ulimit -n) and run again",
};

/** A file-system error as a fault that says what to do; anything else comes back as it is. */
export function asIoFault(error: unknown, doing: string): unknown {
  if (!(error instanceof Error) || !("code" in error) || typeof error.code !== "string" || error instanceof Fault) return error;
  const hint = advice[error.code] ?? "look at the cause, then run again";
  return new Fault("IO", "stop", `${doing}: ${error.code}; ${hint}`, { cause: error });
}

/** An error that the operating system gave, wherever nobody expected it, as a fault: a disk that fails is no bug of ours. */
export function systemFault(error: unknown): unknown {
  if (!(error instanceof Error) || !("syscall" in error) || !("code" in error) || !/^E[A-Z0-9]+$/.test(String(error.code))) return error;
  return asIoFault(error, `${error.syscall} ${"path" in error ? error.path : ""}`.trim());
}

/** Makes a rename in `folder` durable. File systems that cannot sync a folder are left alone. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync().catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EINVAL" && error.code !== "ENOTSUP" && error.code !== "EPERM") throw error;
    });
  } finally {
    await handle.close();
  }
}

const mark = ".tmp-";

/** A name in the same folder that no other attempt uses. */
export const temporaryName = (path: string): string =>
  join(dirname(path), `${basename(path)}${mark}${process.pid}-${randomUUID().slice(0, 8)}`);

async function writeTemporary(temporary: string, write: (handle: FileHandle) => Promise<void>): Promise<void> {
  await mkdir(dirname(temporary), { recursive: true });
  const handle = await open(temporary, "wx");
  try {
    await write(handle);
    crashPoint("file-written");
    await handle.sync();
    crashPoint("file-flushed");
  } finally {
    await handle.close();
  }
}

/** Writes beside, flushes, renames, flushes the folder. Whoever reads `path` sees the old file or the whole new one. */
export async function writeAtomically(path: string, write: (handle: FileHandle) => Promise<void>): Promise<void> {
  const temporary = temporaryName(path);
  try {
    await writeTemporary(temporary, write);
    await rename(temporary, path);
    crashPoint("file-renamed");
    await syncFolder(dirname(path));
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined); // the first error says more than a failed clean-up
    throw asIoFault(error, `writing ${path}`);
  }
}

export const writeTextAtomically = (path: string, text: string): Promise<void> => writeAtomically(path, (handle) => handle.writeFile(text));

/** Makes a file that only one of many processes can make, by link(2), which holds on network file systems too; false: another was first. */
export async function createOnce(path: string, text: string): Promise<boolean> {
  const temporary = temporaryName(path);
  try {
    await writeTemporary(temporary, (handle) => handle.writeFile(text));
    await link(temporary, path);
    crashPoint("file-renamed");
    await syncFolder(dirname(path));
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST" || code === "ENOENT") return false; // ENOENT: the one who was first has swept our temporary file away
    throw asIoFault(error, `writing ${path}`);
  } finally {
    await rm(temporary, { force: true }).catch(() => undefined);
  }
}

/** Removes what crashed attempts left in `folder`; only the owner of the run lock may call it. */
export async function removeTemporaries(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names) if (name.includes(mark)) await rm(join(folder, name), { force: true, recursive: true });
}
