import { type FileHandle, mkdir, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import type { UnitEvent } from "../import/read.ts";
import { asIoFault, syncFolder, temporaryName } from "../store/atomic.ts";
import { crashPoint } from "../store/crash-point.ts";

/** Records of one input unit that could not be read. Written as they come: a broken download may hold millions of them. */
export interface Quarantine {
  add(event: Extract<UnitEvent, { kind: "quarantined" }>): Promise<void>;
  /** Replaces what an earlier import of the unit left; without a record there is no file. */
  publish(): Promise<void>;
  discard(): Promise<void>;
}

const flushChars = 1 << 20;

export function openQuarantine(path: string): Quarantine {
  const temporary = temporaryName(path);
  let handle: FileHandle | null = null;
  let pending: string[] = [];
  let chars = 0;
  const guard = async (work: () => Promise<void>): Promise<void> =>
    work().catch((error: unknown) => {
      throw asIoFault(error, `writing ${path}`);
    });
  const flush = async (): Promise<FileHandle> => {
    await mkdir(dirname(path), { recursive: true });
    handle ??= await open(temporary, "wx");
    await handle.appendFile(pending.join(""));
    pending = [];
    chars = 0;
    return handle;
  };
  return {
    add: (event) =>
      guard(async () => {
        const line = `${JSON.stringify(event)}\n`;
        pending.push(line);
        chars += line.length;
        if (chars >= flushChars) await flush();
      }),
    publish: () =>
      guard(async () => {
        if (handle === null && pending.length === 0) return rm(path, { force: true });
        const file = await flush();
        crashPoint("file-written");
        await file.sync();
        crashPoint("file-flushed");
        await file.close();
        await rename(temporary, path);
        crashPoint("file-renamed");
        await syncFolder(dirname(path));
      }),
    discard: async () => {
      await handle?.close().catch(() => undefined);
      await rm(temporary, { force: true });
    },
  };
}
