import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open, readdir } from "node:fs/promises";
import { join } from "node:path";
import { Fault } from "../../schemas/fault.ts";
import { openAppendFile } from "../store/append-file.ts";
import { crashPoint } from "../store/crash-point.ts";
import { KeptReply } from "./reply-format.ts";

/** Paid replies on disk, shared by all runs. Only complete, accepted replies get here. */
export interface Replies {
  get(key: string): Promise<KeptReply | null>;
  /** Resolves when the reply is on disk: it is never paid for again. */
  put(key: string, reply: KeptReply): Promise<void>;
  close(): Promise<void>;
}

/** A line is `{"key":"<64 hex>","sum":"<16 hex>","reply":{...}}`: the key at a fixed place, so that indexing parses nothing. */
const keyStart = '{"key":"'.length;
const headBytes = keyStart + 64;
const checksum = (key: string, reply: string): string => createHash("sha256").update(key).update(reply).digest("hex").slice(0, 16);
const line = (key: string, reply: string): string => `{"key":"${key}","sum":"${checksum(key, reply)}","reply":${reply}}`;
const replyStart = line("0".repeat(64), "").length - 1;

/** Reads nothing until the first look-up, then only where lines begin; replies stay on disk. */
export function openReplies(folder: string, writer: string): Replies {
  const file = openAppendFile({ folder, writer, durable: true });
  let indexing: Promise<Index> | null = null;
  const index = (): Promise<Index> => {
    indexing ??= indexFolder(folder);
    return indexing;
  };
  return {
    async get(key) {
      const known = await index();
      for (const place of known.places(key)) {
        const reply = await readLine(key, place);
        if (reply !== null) return reply; // else damaged: an older copy may be whole
      }
      return null;
    },
    async put(key, reply) {
      const text = line(key, JSON.stringify(KeptReply.parse(reply)));
      const known = await index();
      const { path, offset } = await file.append(text);
      crashPoint("reply-kept");
      known.add(key, path, offset, Buffer.byteLength(text));
    },
    close: () => file.close(),
  };
}

interface Place {
  readonly path: string;
  readonly offset: number;
  readonly length: number;
}
interface Index {
  add(key: string, path: string, offset: number, length: number): void;
  places(key: string): Iterable<Place>;
}

/** Half the key in binary (a chance meeting is caught on reading) and four numbers: about 200 bytes per reply. */
function createIndex(): Index {
  const newest = new Map<string, number>();
  const paths: string[] = [];
  const entries = { path: [] as number[], offset: [] as number[], length: [] as number[], older: [] as number[] };
  const short = (key: string): string => Buffer.from(key.slice(0, 32), "hex").toString("latin1");
  return {
    add(key, path, offset, length) {
      if (paths.at(-1) !== path) paths.push(path);
      const id = entries.path.push(paths.length - 1) - 1;
      entries.offset.push(offset);
      entries.length.push(length);
      entries.older.push(newest.get(short(key)) ?? -1);
      newest.set(short(key), id);
    },
    *places(key) {
      for (let id = newest.get(short(key)) ?? -1; id >= 0; id = entries.older[id] ?? -1) {
        yield { path: paths[entries.path[id] ?? -1] ?? "", offset: entries.offset[id] ?? 0, length: entries.length[id] ?? 0 };
      }
    },
  };
}

async function indexFolder(folder: string): Promise<Index> {
  const index = createIndex();
  for (const name of (await namesIn(folder)).filter((one) => one.endsWith(".jsonl")).sort()) {
    await indexFile(join(folder, name), index);
  }
  return index;
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isMissing(error)) return [];
    throw readFault(folder, error);
  }
}

/** Adds every line that ends; a torn last one has no end and is passed over. */
async function indexFile(path: string, index: Index): Promise<void> {
  let lineAt = 0;
  let chunkAt = 0;
  let head = "";
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>) {
      let from = 0;
      for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
        head += chunk.toString("latin1", from, Math.min(end, from + headBytes - head.length));
        if (/^\{"key":"[0-9a-f]{64}$/.test(head)) index.add(head.slice(keyStart), path, lineAt, chunkAt + end - lineAt);
        head = "";
        from = end + 1;
        lineAt = chunkAt + from;
      }
      head += chunk.toString("latin1", from, Math.min(chunk.length, from + headBytes - head.length));
      chunkAt += chunk.length;
    }
  } catch (error) {
    throw readFault(path, error);
  }
}

async function readLine(key: string, place: Place): Promise<KeptReply | null> {
  const text = await readPart(place);
  const reply = text?.slice(replyStart, -1) ?? "";
  if (text !== line(key, reply)) return null;
  return KeptReply.safeParse(JSON.parse(reply)).data ?? null;
}

async function readPart({ path, offset, length }: Place): Promise<string | null> {
  try {
    const handle = await open(path, "r");
    try {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, offset);
      return buffer.toString("utf8", 0, bytesRead);
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (isMissing(error)) return null; // somebody emptied the cache: the reply is simply not there
    throw readFault(path, error);
  }
}

const isMissing = (error: unknown): boolean => error instanceof Error && "code" in error && error.code === "ENOENT";

function readFault(path: string, error: unknown): Fault {
  const why = error instanceof Error ? error.message : String(error);
  return new Fault("IO", "stop", `could not read the reply cache at ${path}: ${why}; fix the permissions or set CATGEN_CACHE elsewhere`, {
    cause: error,
  });
}
