import { isAscii } from "node:buffer";
import { createHash } from "node:crypto";
import { mkdir, open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { parts } from "../../schemas/bundle.ts";
import { Fault } from "../../schemas/fault.ts";
import type { ShardManifest } from "../../schemas/manifest.ts";
import { type Row, rowOf } from "../../schemas/row.ts";
import { asIoFault, syncFolder, temporaryName } from "./atomic.ts";
import { borrow, giveBack } from "./borrowed.ts";
import { crashPoint } from "./crash-point.ts";
import { sha256 } from "./digest.ts";
import { jsonReader } from "./json-reader.ts";
import { readLines } from "./lines.ts";
import { isThere, namesIn, type RunFolder, rowsFolder, shardName } from "./run-folder.ts";

/** Shard of an id: uint64(sha256(id)[0:8]) mod N, so a record keeps its shard through all stages. */
export function shardOf(id: string, shards: number): number {
  const digest = createHash("sha256").update(id).digest();
  return Number(digest.readBigUInt64BE(0) % BigInt(shards));
}

/** Rows are gathered in one buffer: as text, a megabyte of them would be carried through every collection of garbage. */
const pieceBytes = 1 << 20;
/** No character takes more in UTF-8: a UTF-16 unit takes up to three, two that make one character take four. */
const bytesPerUnit = 3;

/** A rows file being written: sorted rows in, one name with its content's digest out, so that a manifest never points at half a file. */
export interface RowsWriter {
  /** `outcomeText`: the outcome as JSON, where the caller has just made it. A promise only where there is something to wait for. */
  write(row: Row<unknown>, outcomeText?: string): Promise<void> | null;
  publish(): Promise<ShardManifest["output"]>;
  discard(): Promise<void>;
}

const lineOf = ({ id, key, rev, from }: Row<unknown>, outcomeText: string): string =>
  `${JSON.stringify({ id, key, rev, from }).slice(0, -1)},"outcome":${outcomeText}}\n`;

export async function openRowsWriter(run: RunFolder, step: string, shard: number): Promise<RowsWriter> {
  const folder = rowsFolder(run, step);
  const temporary = temporaryName(join(folder, shardName(shard)));
  const guard = async <T>(work: () => Promise<T>): Promise<T> =>
    work().catch((error: unknown) => {
      throw asIoFault(error, `writing rows of ${step} shard ${shard}`);
    });
  const handle = await guard(async () => {
    await mkdir(folder, { recursive: true });
    return open(temporary, "wx");
  });
  const hash = createHash("sha256");
  const content = createHash("sha256");
  const piece = borrow(pieceBytes);
  let filled = 0;
  let pendingContent = "";
  let bytes = 0;
  let rows = 0;
  let last = "";
  const append = async (data: Buffer): Promise<void> => {
    hash.update(data);
    bytes += data.length;
    // `write` may stop short on a full disk and say nothing; appendFile does not.
    if (data.length > 0) await handle.appendFile(data);
  };
  const flush = async (): Promise<void> => {
    content.update(pendingContent);
    pendingContent = "";
    const data = piece.subarray(0, filled);
    filled = 0;
    await append(data);
  };
  /** Where the line may not fit behind what has been gathered. */
  const putSlowly = async (line: string): Promise<void> => {
    await flush();
    if (bytesPerUnit * line.length > pieceBytes) await append(Buffer.from(line));
    else filled = piece.write(line);
  };
  return {
    write: (row, outcomeText) => {
      if (rows > 0 && row.id <= last) throw new Error(`rows of ${step} shard ${shard} must ascend: ${row.id} after ${last}`);
      last = row.id;
      pendingContent += `${row.id} ${row.rev}\n`;
      rows += 1;
      const line = lineOf(row, outcomeText ?? JSON.stringify(row.outcome));
      if (filled + bytesPerUnit * line.length > pieceBytes) return guard(() => putSlowly(line));
      filled += piece.write(line, filled);
      return null;
    },
    publish: () =>
      guard(async () => {
        await flush();
        crashPoint("rows-written");
        await handle.sync();
        crashPoint("rows-flushed");
        await handle.close();
        giveBack(piece);
        const digest = hash.digest("hex");
        const file = `${shardName(shard)}-${digest.slice(0, 12)}.jsonl`;
        await rename(temporary, join(folder, file));
        crashPoint("rows-renamed");
        await syncFolder(folder);
        return { file, sha256: digest, content: content.digest("hex"), bytes, rows };
      }),
    discard: async () => {
      await handle.close().catch(() => undefined);
      await rm(temporary, { force: true });
    },
  };
}

/** Removes rows files of the shard that its manifest does not name. */
export async function removeOldRows(run: RunFolder, step: string, shard: number, keep: string): Promise<void> {
  const folder = rowsFolder(run, step);
  for (const name of await namesIn(folder)) {
    if (name.startsWith(`${shardName(shard)}-`) && name !== keep) await rm(join(folder, name), { force: true });
  }
  crashPoint("old-rows-removed");
}

const corrupt = (path: string, where: string, why: string, cause?: unknown): Fault =>
  new Fault("ROWS_CORRUPT", "stop", `${path} ${where}: ${why}; \`catgen verify\` shows all damage, \`catgen repair\` makes it anew`, {
    cause,
  });

/** A file of this size is read at once, so that its digest is known before its first row is. */
const atOnceBytes = 32 << 20;

interface Whole {
  readonly buffer: Buffer;
  readonly bytes: Buffer;
}

/** The file's bytes where they are those that the manifest tells of, to be given back; else null. */
async function wholeRows(path: string, manifest: ShardManifest): Promise<Whole | null> {
  const { bytes, sha256: expected } = manifest.output;
  if (bytes > atOnceBytes) return null;
  const file = await open(path);
  const buffer = borrow(bytes + 1); // one more, so that a file that has grown is seen
  try {
    let filled = 0;
    for (let more = -1; more !== 0; filled += more) more = (await file.read(buffer, filled, buffer.length - filled)).bytesRead;
    const read = buffer.subarray(0, filled);
    if (sha256(read) === expected) return { buffer, bytes: read };
  } finally {
    await file.close();
  }
  giveBack(buffer);
  return null;
}

/**
 * The rows of a shard that today's code of its stage has written (its manifest bears today's stage key). What the digest vouches for is
 * not parsed strictly a second time; files that are large, or damaged, go the strict way, which names the row. Rows come in stretches that
 * need no waiting, since a promise for each would cost half of what parsing it does.
 */
export async function* readOwnRows<T extends z.ZodType>(
  run: RunFolder,
  step: string,
  manifest: ShardManifest,
  value: T,
): AsyncGenerator<Iterable<Row<z.infer<T>>>> {
  const path = join(rowsFolder(run, step), manifest.output.file);
  const whole = (await isThere(path)) ? await wholeRows(path, manifest) : null;
  if (whole !== null) {
    try {
      yield vouchedRows(whole.bytes, value);
    } finally {
      giveBack(whole.buffer);
    }
  } else for await (const row of readRows(run, step, manifest, value)) yield [row];
}

/** Parts that are numbers and few words: for them it pays to know what stands where. */
const partsOfNumbers: ReadonlySet<z.ZodType> = new Set([parts.metrics, parts.verdict]);
const acceptedRow = new WeakMap<z.ZodType, z.ZodType>();

/** A row that an accepted record has; of others there are few, and JSON.parse reads them. */
function acceptedRowOf(value: z.ZodType): z.ZodType {
  const known = acceptedRow.get(value);
  if (known !== undefined) return known;
  const schema = rowOf(value).extend({ outcome: z.strictObject({ ok: z.literal(true), value }) });
  acceptedRow.set(value, schema);
  return schema;
}

function* vouchedRows<T>(bytes: Buffer, value: z.ZodType): Generator<Row<T>> {
  const encoding = isAscii(bytes) ? "latin1" : "utf8"; // the same text, found out once for all rows: numbers are read a tenth faster
  const reader = partsOfNumbers.has(value) ? jsonReader(acceptedRowOf(value), bytes) : null;
  for (let start = 0, end = bytes.indexOf(10); end >= 0; start = end + 1, end = bytes.indexOf(10, start)) {
    const row = reader?.read(start);
    yield (row !== undefined && reader?.end === end ? row : JSON.parse(bytes.toString(encoding, start, end))) as Row<T>;
  }
}

/**
 * The rows of a published shard in order of id, parsed strictly. The file's digest is checked on the way: after the last row a mismatch
 * throws, so nothing made from damaged rows is ever published.
 */
export async function* readRows<T extends z.ZodType>(
  run: RunFolder,
  step: string,
  manifest: ShardManifest,
  value: T,
): AsyncGenerator<Row<z.infer<T>>> {
  const path = join(rowsFolder(run, step), manifest.output.file);
  const schema = rowOf(value);
  const hash = createHash("sha256");
  let number = 0;
  if (!(await isThere(path))) throw corrupt(path, "as a whole", "it is gone, and its manifest names it");
  for await (const { text, whole } of readLines(path, (bytes) => hash.update(bytes))) {
    number += 1;
    if (!whole) throw corrupt(path, `row ${number}`, "the last line is cut off");
    let json: unknown;
    try {
      json = JSON.parse(text);
    } catch (error) {
      throw corrupt(path, `row ${number}`, "no JSON", error);
    }
    const parsed = schema.safeParse(json);
    if (!parsed.success)
      throw corrupt(
        path,
        `row ${number}`,
        `not a row of ${step}: ${parsed.error.issues[0]?.path.join(".")} ${parsed.error.issues[0]?.message}`,
      );
    yield parsed.data as Row<z.infer<T>>;
  }
  const found = hash.digest("hex");
  if (found !== manifest.output.sha256)
    throw corrupt(path, "as a whole", `expected sha256 ${manifest.output.sha256.slice(0, 12)}…, got ${found.slice(0, 12)}…`);
}
