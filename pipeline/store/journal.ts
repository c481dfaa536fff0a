import { createHash, randomUUID } from "node:crypto";
import { type FileHandle, mkdir, open, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { asIoFault } from "./atomic.ts";
import { readLines } from "./lines.ts";

const checksum = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 8);

/**
 * Rows in progress: one file per writer and shard, one `<checksum> <json>` per line. A torn or damaged line is skipped by readers, so
 * `kill -9` at any moment loses at most what was in flight.
 */
export interface Journal {
  append(value: unknown): Promise<void>;
  close(): Promise<void>;
}

const shardName = (shard: number): string => String(shard).padStart(5, "0");

/** Opens this writer's journal for a shard. `durable` also survives a power cut: used where a row costs money. */
export async function openJournal(folder: string, shard: number, durable: boolean): Promise<Journal> {
  const path = join(folder, `${shardName(shard)}.${process.pid}-${randomUUID().slice(0, 8)}.jsonl`);
  let handle: FileHandle | null = null;
  let last: Promise<void> = Promise.resolve();
  const write = async (text: string): Promise<void> => {
    try {
      if (handle === null) {
        await mkdir(folder, { recursive: true });
        handle = await open(path, "ax");
      }
      await handle.appendFile(`${checksum(text)} ${text}\n`);
      if (durable) await handle.datasync();
    } catch (error) {
      throw asIoFault(error, `writing the journal ${path}`);
    }
  };
  return {
    append: (value) => {
      const done = last.then(() => write(JSON.stringify(value)));
      last = done.catch(() => undefined); // one line after the other; whoever appended hears of its own error
      return done;
    },
    close: async () => {
      await last;
      await handle?.close();
    },
  };
}

async function journalFiles(folder: string, shard: number): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  return names
    .filter((name) => name.startsWith(`${shardName(shard)}.`))
    .sort()
    .map((name) => join(folder, name));
}

/** All undamaged values that any attempt has written for the shard. */
export async function* readJournals(folder: string, shard: number): AsyncGenerator<unknown> {
  for (const path of await journalFiles(folder, shard)) {
    for await (const { text, whole } of readLines(path)) {
      const json = text.slice(9);
      if (whole && text.slice(0, 8) === checksum(json)) yield JSON.parse(json);
    }
  }
}

/** Called after the shard's manifest is published. */
export async function removeJournals(folder: string, shard: number): Promise<void> {
  for (const path of await journalFiles(folder, shard)) await rm(path, { force: true });
}
