import { randomUUID } from "node:crypto";
import { type FileHandle, mkdir, open, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { z } from "zod";
import { BatchEntry, BatchSettled } from "../../schemas/batch.ts";
import { openAppendFile } from "../store/append-file.ts";
import { asIoFault, syncFolder, temporaryName } from "../store/atomic.ts";
import { readLines } from "../store/lines.ts";
import { jsonOf, namesIn, type RunFolder } from "../store/run-folder.ts";

/** The waves of a run: which requests went out, and which of them have ended. Lies in `<run>/batches/`. */
export const batchesFolder = (run: RunFolder): string => join(run.root, "batches");
const settledFolder = (run: RunFolder): string => join(batchesFolder(run), "settled");
const waveName = (wave: number): string => `${String(wave).padStart(5, "0")}.jsonl`;

/** Of a wave and half a key: 64 bits of it tell the requests of a wave apart. */
export const batchId = (wave: number, key: string): string => `catgen-${wave}-${key.slice(0, 32)}`;

export interface Waves {
  /** The last one written; 0: none. */
  readonly last: number;
  /** All requests ever written, by id. */
  readonly entries: ReadonlyMap<string, BatchEntry>;
  readonly settled: ReadonlyMap<string, BatchSettled>;
  /** Keys of requests that the server refused. */
  readonly refused: ReadonlySet<string>;
  /** Requests without a result. */
  readonly open: readonly BatchEntry[];
}

async function* valuesIn<T>(folder: string, schema: z.ZodType<T>): AsyncGenerator<T> {
  for (const name of (await namesIn(folder)).filter((one) => one.endsWith(".jsonl")))
    for await (const { text } of readLines(join(folder, name))) {
      const parsed = schema.safeParse(jsonOf(text));
      if (parsed.success) yield parsed.data; // else torn by a crash: the request counts as open, or its result is read again
    }
}

export async function readWaves(run: RunFolder): Promise<Waves> {
  const entries = new Map<string, BatchEntry>();
  for await (const entry of valuesIn(batchesFolder(run), BatchEntry)) entries.set(entry.id, entry);
  const settled = new Map<string, BatchSettled>();
  for await (const one of valuesIn(settledFolder(run), BatchSettled)) settled.set(one.id, one);
  const names = (await namesIn(batchesFolder(run))).filter((name) => /^\d{5}\.jsonl$/.test(name));
  return {
    last: Number.parseInt(names.at(-1) ?? "0", 10),
    entries,
    settled,
    refused: new Set([...settled.values()].filter(({ outcome }) => outcome === "refused").map(({ key }) => key)),
    open: [...entries.values()].filter(({ id }) => !settled.has(id)),
  };
}

/** Says of requests how they ended, durably: a result that is counted once is never counted again. */
export function openSettled(run: RunFolder): { add(one: BatchSettled): Promise<void>; close(): Promise<void> } {
  const file = openAppendFile({ folder: settledFolder(run), writer: randomUUID(), durable: true });
  return { add: async (one) => void (await file.append(JSON.stringify(one))), close: () => file.close() };
}

/** A file that is there whole or not at all. Lines appended at once are written one after the other. */
interface Draft {
  append(line: string): Promise<void>;
  publish(): Promise<void>;
  discard(): Promise<void>;
}

async function openDraft(path: string): Promise<Draft> {
  const temporary = temporaryName(path);
  const doing = `writing ${path}`;
  const handle: FileHandle = await mkdir(dirname(path), { recursive: true })
    .then(() => open(temporary, "wx"))
    .catch((error: unknown) => {
      throw asIoFault(error, doing);
    });
  let last: Promise<unknown> = Promise.resolve();
  return {
    append(line) {
      const written = last
        .then(() => handle.appendFile(`${line}\n`))
        .catch((error: unknown) => {
          throw asIoFault(error, doing);
        });
      last = written.catch(() => undefined);
      return written;
    },
    async publish() {
      await last;
      await handle.sync();
      await handle.close();
      await rename(temporary, path);
      await syncFolder(dirname(path));
    },
    async discard() {
      await last;
      await handle.close();
      await rm(temporary, { force: true });
    },
  };
}

/** A wave being written: the requests for the server, and what we keep of them. */
export interface WaveDraft {
  readonly wave: number;
  add(entry: BatchEntry, line: string): Promise<void>;
  /** The requests' own list first: a file that nobody knows would be paid for in vain. */
  publish(): Promise<void>;
  discard(): Promise<void>;
}

export async function openWave(run: RunFolder, wave: number, file: string): Promise<WaveDraft> {
  const entries = await openDraft(join(batchesFolder(run), waveName(wave)));
  const requests = await openDraft(file).catch(async (error: unknown) => {
    await entries.discard();
    throw error;
  });
  return {
    wave,
    add: async (entry, line) => {
      await Promise.all([entries.append(JSON.stringify(BatchEntry.parse(entry))), requests.append(line)]);
    },
    publish: async () => {
      await entries.publish();
      await requests.publish();
    },
    discard: async () => {
      await entries.discard();
      await requests.discard();
    },
  };
}
