import { mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import * as parquet from "parquet-wasm";
import type { ColumnSchema, Row } from "../../schemas/columns.ts";
import { asIoFault, syncFolder, temporaryName } from "../store/atomic.ts";
import { RowBatch } from "./row-batch.ts";
import { measuredFields } from "./row-size.ts";

export interface WriteOptions {
  /** A row group holds at most this many bytes before compression (one row may be larger). Below 64 MB: readers hold a whole group. */
  readonly rowGroupBytes: number;
}
export interface ShardOptions extends WriteOptions {
  /** A shard holds at most this many bytes before compression, counted as in a row group (one row may be larger). */
  readonly shardBytes: number;
}
export interface Written {
  readonly rows: number;
  /** On disk. */
  readonly bytes: number;
}
export interface WrittenShard extends Written {
  /** File name within the folder. */
  readonly name: string;
}

const rowGroupBytesCeiling = 64_000_000;

/**
 * Writes the rows as one zstd-compressed Parquet file, which appears whole or not at all. Equal rows give equal bytes.
 * Lone surrogates become U+FFFD. Holds one row group at a time, several times over: as Arrow here, as Arrow in the encoder, and compressed.
 */
export async function writeParquet(
  path: string,
  schema: ColumnSchema,
  rows: AsyncIterable<Row> | Iterable<Row>,
  options: WriteOptions,
): Promise<Written> {
  const format = { rowGroupBytes: options.rowGroupBytes, fileBytes: Number.POSITIVE_INFINITY };
  return writing(path, schema, rows, async (source, temporaryFor) => {
    await mkdir(dirname(path), { recursive: true });
    const temporary = temporaryFor(path);
    const written = await writeFile(temporary, source, format);
    await publish(dirname(path), [[temporary, path]]);
    return written;
  });
}

/**
 * Writes the rows as `<baseName>-00000-of-0000N.parquet` and so on, at least one file, and removes the shards of that base name that an
 * earlier call left in the folder. Where a shard ends depends on the rows and options alone.
 */
export async function writeParquetShards(
  folder: string,
  baseName: string,
  schema: ColumnSchema,
  rows: AsyncIterable<Row> | Iterable<Row>,
  options: ShardOptions,
): Promise<{ rows: number; bytes: number; shards: WrittenShard[] }> {
  const format = { rowGroupBytes: options.rowGroupBytes, fileBytes: options.shardBytes };
  return writing(folder, schema, rows, async (source, temporaryFor) => {
    await mkdir(folder, { recursive: true });
    const files: (Written & { temporary: string })[] = [];
    do {
      const temporary = temporaryFor(join(folder, baseName));
      files.push({ temporary, ...(await writeFile(temporary, source, format)) });
    } while ((await source.peek()) !== null);
    const shards = files.map(({ rows, bytes }, index) => ({ name: shardName(baseName, index, files.length), rows, bytes }));
    await publish(
      folder,
      files.map(({ temporary }, index) => [temporary, join(folder, shardName(baseName, index, files.length))]),
    );
    await removeOtherShards(folder, baseName, new Set(shards.map(({ name }) => name)));
    return { rows: shards.reduce((sum, shard) => sum + shard.rows, 0), bytes: shards.reduce((sum, shard) => sum + shard.bytes, 0), shards };
  });
}

function shardName(baseName: string, index: number, count: number): string {
  return `${baseName}-${String(index).padStart(5, "0")}-of-${String(count).padStart(5, "0")}.parquet`;
}

async function removeOtherShards(folder: string, baseName: string, keep: ReadonlySet<string>): Promise<void> {
  for (const name of await readdir(folder)) {
    const isShard = name.startsWith(`${baseName}-`) && /^\d{5}-of-\d{5}\.parquet$/.test(name.slice(baseName.length + 1));
    if (isShard && !keep.has(name)) await rm(join(folder, name));
  }
}

/** Runs `work` so that afterwards no temporary file is left and the rows' iterator is closed, whatever happens. */
async function writing<T>(
  target: string,
  schema: ColumnSchema,
  rows: AsyncIterable<Row> | Iterable<Row>,
  work: (source: RowSource, temporaryFor: (path: string) => string) => Promise<T>,
): Promise<T> {
  const source = new RowSource(schema, rows);
  const temporaries: string[] = [];
  const temporaryFor = (path: string) => {
    const temporary = temporaryName(path);
    temporaries.push(temporary);
    return temporary;
  };
  try {
    return await work(source, temporaryFor);
  } catch (error) {
    for (const temporary of temporaries) await rm(temporary, { force: true });
    throw error === source.failure ? error : asIoFault(error, `writing ${target}`);
  } finally {
    await source.close();
  }
}

/** Gives finished files their names and makes the names last. */
async function publish(folder: string, renames: readonly (readonly [from: string, to: string])[]): Promise<void> {
  for (const [from, to] of renames) await rename(from, to);
  await syncFolder(folder);
}

/** Rows, each checked and measured, with a look at the next one before it is taken into a batch. */
class RowSource {
  /** What the rows' iterator or the check of a row threw: the caller's own, not to be mistaken for a failure to write. */
  failure: unknown = null;
  private readonly schema: ColumnSchema;
  private readonly batch: RowBatch;
  private readonly iterator: AsyncIterator<Row> | Iterator<Row>;
  private next: { readonly row: Row; readonly bytes: number } | null = null;
  private taken = 0;
  private ended = false;

  constructor(schema: ColumnSchema, rows: AsyncIterable<Row> | Iterable<Row>) {
    this.schema = schema;
    this.batch = new RowBatch(schema);
    this.iterator = Symbol.asyncIterator in rows ? rows[Symbol.asyncIterator]() : rows[Symbol.iterator]();
  }

  async peek(): Promise<{ readonly row: Row; readonly bytes: number } | null> {
    if (this.next !== null || this.ended) return this.next;
    try {
      const result = await this.iterator.next();
      if (result.done) this.ended = true;
      else this.next = { row: result.value, bytes: measuredFields(this.schema, result.value, `row ${this.taken}`) };
    } catch (error) {
      this.failure = error;
      throw error;
    }
    return this.next;
  }

  /** The next row, if there is one, and those after it that fit into `limitBytes` with it. The next call overwrites the batch. */
  async take(limitBytes: number): Promise<{ batch: RowBatch; bytes: number }> {
    const { batch } = this;
    batch.clear();
    let bytes = 0;
    for (let next = await this.peek(); next !== null; next = await this.peek()) {
      if (batch.rows > 0 && bytes + next.bytes > limitBytes) break;
      batch.add(next.row);
      bytes += next.bytes;
      this.next = null;
      this.taken++;
    }
    return { batch, bytes };
  }

  /** Lets a generator that was not read to its end clean up. */
  async close(): Promise<void> {
    if (!this.ended) await this.iterator.return?.();
  }
}

interface FileFormat extends WriteOptions {
  /** A file holds at most this many bytes before compression. */
  readonly fileBytes: number;
}

/** Writes and flushes one file of row groups, which must not exist yet. */
async function writeFile(path: string, source: RowSource, format: FileFormat): Promise<Written> {
  if (!(format.rowGroupBytes > 0 && format.rowGroupBytes < rowGroupBytesCeiling)) {
    throw new RangeError(`expected rowGroupBytes above 0 and below ${rowGroupBytesCeiling}, got ${format.rowGroupBytes}`);
  }
  const file = await open(path, "wx");
  const batches = new BatchStream(source, format);
  let bytes = 0;
  try {
    for await (const chunk of await parquet.transformParquetStream(batches.stream, writerProperties())) {
      await file.writeFile(chunk);
      bytes += chunk.length;
    }
    await file.sync();
  } catch (error) {
    throw batches.failure?.error ?? error;
  } finally {
    await file.close();
  }
  if (batches.failure !== null) throw batches.failure.error;
  return { rows: batches.rows, bytes };
}

/** Row groups as record batches of the WebAssembly module. */
class BatchStream {
  rows = 0;
  /** Why the stream ended early. Kept here, as the encoder would turn it into a message without a cause. */
  failure: { readonly error: unknown } | null = null;
  readonly stream: ReadableStream<parquet.RecordBatch>;

  constructor(source: RowSource, format: FileFormat) {
    const groups = rowGroups(source, format);
    const pull = async (controller: ReadableStreamDefaultController<parquet.RecordBatch>) => {
      try {
        const group = await groups.next();
        if (group.done) return controller.close();
        this.rows += group.value.rows;
        controller.enqueue(wasmBatch(group.value));
      } catch (error) {
        this.failure = { error };
        controller.close();
      }
    };
    this.stream = new ReadableStream({ pull }, { highWaterMark: 0 }); // else the next group lies in the module beside the one it writes
  }
}

/** Row groups of one file: as many as fit into `fileBytes`, at least one. The only group of a file without rows is empty. */
async function* rowGroups(source: RowSource, { rowGroupBytes, fileBytes }: FileFormat): AsyncGenerator<RowBatch, void> {
  let groups = 0;
  let remainingBytes = fileBytes;
  for (let next = await source.peek(); next !== null; next = await source.peek()) {
    if (groups > 0 && next.bytes > remainingBytes) return;
    const { batch, bytes } = await source.take(Math.min(rowGroupBytes, remainingBytes));
    yield batch;
    remainingBytes -= bytes;
    groups++;
  }
  if (groups === 0) yield (await source.take(0)).batch;
}

/**
 * New for every file, as the encoder takes it over. A dictionary may be as large as its row group, since samples repeat whole messages:
 * against the encoder's own limit of 1 MiB files of real runs are 20 % smaller, those of `turns` by half (test/bench/README.md).
 */
function writerProperties(): parquet.WriterProperties {
  return new parquet.WriterPropertiesBuilder()
    .setCompression(parquet.Compression.ZSTD)
    .setDictionaryPageSizeLimit(rowGroupBytesCeiling)
    .setMaxRowGroupSize(2 ** 31 - 1)
    .setMaxRowGroupBytes(1) // any batch is more, so that each becomes its own row group
    .build();
}

/** The batch in the module's own memory. */
function wasmBatch(batch: RowBatch): parquet.RecordBatch {
  const table = parquet.Table.fromIPCStream(batch.ipcStream());
  try {
    const [encoded, ...others] = table.recordBatches();
    if (encoded === undefined || others.length > 0) throw new Error(`expected 1 record batch, got ${encoded ? 1 + others.length : 0}`);
    return encoded;
  } finally {
    table.free(); // its memory is the module's; without this it grows with the data
  }
}
