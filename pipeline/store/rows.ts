import { createHash } from "node:crypto";
import { mkdir, open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { z } from "zod";
import { Fault } from "../../schemas/fault.ts";
import type { ShardManifest } from "../../schemas/manifest.ts";
import { type Row, rowOf } from "../../schemas/row.ts";
import { asIoFault, syncFolder, temporaryName } from "./atomic.ts";
import { crashPoint } from "./crash-point.ts";
import { readLines } from "./lines.ts";
import { isThere, namesIn, type RunFolder, rowsFolder, shardName } from "./run-folder.ts";

/** Shard of an id: uint64(sha256(id)[0:8]) mod N, so a record keeps its shard through all stages. */
export function shardOf(id: string, shards: number): number {
  const digest = createHash("sha256").update(id).digest();
  return Number(digest.readBigUInt64BE(0) % BigInt(shards));
}

const flushBytes = 1 << 20;

/** A rows file being written: sorted rows in, one name with its content's digest out, so that a manifest never points at half a file. */
export interface RowsWriter {
  write(row: Row<unknown>): Promise<void>;
  publish(): Promise<ShardManifest["output"]>;
  discard(): Promise<void>;
}

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
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  let bytes = 0;
  let rows = 0;
  let last = "";
  const flush = async (): Promise<void> => {
    const [only] = pending;
    // One call for many rows, no copy of a large one. `write` may stop short on a full disk and say nothing; appendFile does not.
    if (only !== undefined) await handle.appendFile(pending.length === 1 ? only : Buffer.concat(pending));
    pending = [];
    pendingBytes = 0;
  };
  return {
    write: (row) =>
      guard(async () => {
        if (rows > 0 && row.id <= last) throw new Error(`rows of ${step} shard ${shard} must ascend: ${row.id} after ${last}`);
        last = row.id;
        const line = Buffer.from(`${JSON.stringify(row)}\n`);
        hash.update(line);
        content.update(`${row.id} ${row.rev}\n`);
        bytes += line.length;
        rows += 1;
        pending.push(line);
        pendingBytes += line.length;
        if (pendingBytes >= flushBytes) await flush();
      }),
    publish: () =>
      guard(async () => {
        await flush();
        crashPoint("rows-written");
        await handle.sync();
        crashPoint("rows-flushed");
        await handle.close();
        const sha256 = hash.digest("hex");
        const file = `${shardName(shard)}-${sha256.slice(0, 12)}.jsonl`;
        await rename(temporary, join(folder, file));
        crashPoint("rows-renamed");
        await syncFolder(folder);
        return { file, sha256, content: content.digest("hex"), bytes, rows };
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
