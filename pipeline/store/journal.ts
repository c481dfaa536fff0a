import { createHash, randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { openAppendFile } from "./append-file.ts";
import { crashPoint } from "./crash-point.ts";
import { readLines } from "./lines.ts";
import { namesIn, shardName } from "./run-folder.ts";

const checksum = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 8);

/**
 * Rows in progress: one file per writer and shard, one `<checksum> <json>` per line. A torn or damaged line is skipped by readers, so
 * `kill -9` at any moment loses at most what was in flight.
 */
export interface Journal {
  append(value: unknown): Promise<void>;
  close(): Promise<void>;
}

/** Opens this writer's journal for a shard. `durable` also survives a power cut: used where a row costs money. */
export function openJournal(folder: string, shard: number, durable: boolean): Journal {
  const writer = `${shardName(shard)}.${process.pid}-${randomUUID().slice(0, 8)}`;
  const file = openAppendFile({ folder, writer, durable });
  return {
    append: async (value) => {
      const text = JSON.stringify(value);
      await file.append(`${checksum(text)} ${text}`);
      crashPoint("journal-append");
    },
    close: () => file.close(),
  };
}

async function journalFiles(folder: string, shard: number): Promise<string[]> {
  const names = await namesIn(folder);
  return names.filter((name) => name.startsWith(`${shardName(shard)}.`)).map((name) => join(folder, name));
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
  crashPoint("journals-removed");
}
