// Longer than 500 lines because each dependency is wrapped in one file, and of Parquet we both write and read. Nothing outside this file
// knows Arrow, WebAssembly or hyparquet.
import { randomBytes } from "node:crypto";
import { type FileHandle, mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import * as arrow from "apache-arrow";
import { type AsyncBuffer, type FileMetaData, parquetMetadataAsync, parquetReadObjects, parquetSchema } from "hyparquet";
import { compressors } from "hyparquet-compressors";
import * as parquet from "parquet-wasm";
import { Fault } from "../../schemas/fault.ts";

// ---- Column types: always declared, never inferred, so that every shard has the same schema ----

type ScalarName = "utf8" | "int8" | "int32" | "float64" | "bool";
export interface ScalarType {
  readonly type: ScalarName;
  readonly nullable: boolean;
}
export interface ListType {
  readonly type: "list";
  readonly nullable: boolean;
  readonly element: ColumnType;
}
export interface StructType {
  readonly type: "struct";
  readonly nullable: boolean;
  readonly fields: ColumnSchema;
}
export type ColumnType = ScalarType | ListType | StructType;

/** Columns by name, in the order in which they are written. */
export type ColumnSchema = Readonly<Record<string, ColumnType>>;

/** A value for every column of the schema and nothing else; absent is `null`. */
export type Row = Readonly<Record<string, unknown>>;

export const utf8: ScalarType = { type: "utf8", nullable: false };
export const int8: ScalarType = { type: "int8", nullable: false };
export const int32: ScalarType = { type: "int32", nullable: false };
export const float64: ScalarType = { type: "float64", nullable: false };
export const bool: ScalarType = { type: "bool", nullable: false };
export const list = (element: ColumnType): ListType => ({ type: "list", nullable: false, element });
export const struct = (fields: ColumnSchema): StructType => ({ type: "struct", nullable: false, fields });
export const nullable = <T extends ColumnType>(type: T): T => ({ ...type, nullable: true });

// ---- Writing ----

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
 * Lone surrogates become U+FFFD. Holds one row group at a time, several times over: as rows, as Arrow, and compressed.
 */
export async function writeParquet(
  path: string,
  schema: ColumnSchema,
  rows: AsyncIterable<Row> | Iterable<Row>,
  options: WriteOptions,
): Promise<Written> {
  const format = { columns: schema, rowGroupBytes: options.rowGroupBytes, fileBytes: Number.POSITIVE_INFINITY };
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
  const format = { columns: schema, rowGroupBytes: options.rowGroupBytes, fileBytes: options.shardBytes };
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
    const temporary = `${path}.${randomBytes(6).toString("hex")}.tmp`;
    temporaries.push(temporary);
    return temporary;
  };
  try {
    return await work(source, temporaryFor);
  } catch (error) {
    for (const temporary of temporaries) await rm(temporary, { force: true });
    if (error === source.failure || !isSystemError(error)) throw error;
    const next = "free disk space or correct permissions, then run again";
    throw new Fault("IO", "stop", `expected to write ${target}, got ${error.message}; ${next}`, { cause: error });
  } finally {
    await source.close();
  }
}

/** Gives finished files their names and makes the names last. */
async function publish(folder: string, renames: readonly (readonly [from: string, to: string])[]): Promise<void> {
  for (const [from, to] of renames) await rename(from, to);
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Rows one at a time, each checked and measured, and a look at the next one before it is taken. */
class RowSource {
  /** What the rows' iterator or the check of a row threw: the caller's own, not to be mistaken for a failure to write. */
  failure: unknown = null;
  private readonly schema: ColumnSchema;
  private readonly iterator: AsyncIterator<Row> | Iterator<Row>;
  private next: { readonly row: Row; readonly bytes: number } | null = null;
  private taken = 0;
  private ended = false;

  constructor(schema: ColumnSchema, rows: AsyncIterable<Row> | Iterable<Row>) {
    this.schema = schema;
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

  /** The next row, and those after it that fit into `limitBytes` with it. */
  async take(limitBytes: number): Promise<{ rows: Row[]; bytes: number }> {
    const rows: Row[] = [];
    let bytes = 0;
    for (let next = await this.peek(); next !== null; next = await this.peek()) {
      if (rows.length > 0 && bytes + next.bytes > limitBytes) break;
      rows.push(next.row);
      bytes += next.bytes;
      this.next = null;
      this.taken++;
    }
    return { rows, bytes };
  }

  /** Lets a generator that was not read to its end clean up. */
  async close(): Promise<void> {
    if (!this.ended) await this.iterator.return?.();
  }
}

interface FileFormat extends WriteOptions {
  readonly columns: ColumnSchema;
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
    const schema = arrowSchema(format.columns);
    const pull = async (controller: ReadableStreamDefaultController<parquet.RecordBatch>) => {
      try {
        const group = await groups.next();
        if (group.done) return controller.close();
        this.rows += group.value.length;
        controller.enqueue(wasmBatch(schema, format.columns, group.value));
      } catch (error) {
        this.failure = { error };
        controller.close();
      }
    };
    this.stream = new ReadableStream({ pull }, { highWaterMark: 1 });
  }
}

/** Row groups of one file: as many as fit into `fileBytes`, at least one. The only group of a file without rows is empty. */
async function* rowGroups(source: RowSource, { rowGroupBytes, fileBytes }: FileFormat): AsyncGenerator<readonly Row[], void> {
  let groups = 0;
  let remainingBytes = fileBytes;
  for (let next = await source.peek(); next !== null; next = await source.peek()) {
    if (groups > 0 && next.bytes > remainingBytes) return;
    const { rows, bytes } = await source.take(Math.min(rowGroupBytes, remainingBytes));
    yield rows;
    remainingBytes -= bytes;
    groups++;
  }
  if (groups === 0) yield [];
}

/** New for every file, as the encoder takes it over. */
function writerProperties(): parquet.WriterProperties {
  return new parquet.WriterPropertiesBuilder()
    .setCompression(parquet.Compression.ZSTD)
    .setMaxRowGroupSize(2 ** 31 - 1)
    .setMaxRowGroupBytes(1) // any batch is more, so that each becomes its own row group
    .build();
}

function wasmBatch(schema: arrow.Schema, columns: ColumnSchema, rows: readonly Row[]): parquet.RecordBatch {
  const data = structData({ type: "struct", nullable: false, fields: columns }, rows);
  const batch = new arrow.RecordBatch(schema, data as arrow.Data<arrow.Struct>);
  const table = parquet.Table.fromIPCStream(arrow.tableToIPC(new arrow.Table(schema, [batch]), "stream"));
  try {
    const [encoded, ...others] = table.recordBatches();
    if (encoded === undefined || others.length > 0) throw new Error(`expected 1 record batch, got ${encoded ? 1 + others.length : 0}`);
    return encoded;
  } finally {
    table.free(); // its memory is the module's; without this it grows with the data
  }
}

// ---- Rows to Arrow ----

function arrowSchema(columns: ColumnSchema): arrow.Schema {
  return new arrow.Schema(arrowFields(columns));
}

function arrowFields(columns: ColumnSchema): arrow.Field[] {
  return Object.entries(columns).map(([name, type]) => arrowField(name, type));
}

function arrowField(name: string, type: ColumnType): arrow.Field {
  return new arrow.Field(name, arrowType(type), type.nullable);
}

const scalarTypes = {
  utf8: new arrow.Utf8(),
  int8: new arrow.Int8(),
  int32: new arrow.Int32(),
  float64: new arrow.Float64(),
  bool: new arrow.Bool(),
} as const;

const numberArrays = { int8: Int8Array, int32: Int32Array, float64: Float64Array } as const;

function arrowType(type: ColumnType): arrow.DataType {
  if (type.type === "list") return new arrow.List(arrowField("element", type.element)); // the Parquet format's own name for it
  if (type.type === "struct") return new arrow.Struct(arrowFields(type.fields));
  return scalarTypes[type.type];
}

/** One column of checked values. A value is null where the type allows it, or where a struct around it is null. */
function columnData(type: ColumnType, values: readonly unknown[]): arrow.Data {
  if (type.type === "list") return listData(type, values as readonly (ArrayLike<unknown> | null)[]);
  if (type.type === "struct") return structData(type, values as readonly (Row | null)[]);
  const nulls = nullsOf(type, values);
  switch (type.type) {
    case "utf8":
      return arrow.makeData({ type: scalarTypes.utf8, ...nulls, ...utf8Buffers(values as readonly (string | null)[]) });
    case "bool":
      return arrow.makeData({ type: scalarTypes.bool, ...nulls, data: bitmap(values.length, (index) => values[index] === true) });
    case "int8":
      return arrow.makeData({ type: scalarTypes.int8, ...nulls, data: Int8Array.from(values as number[]) });
    case "int32":
      return arrow.makeData({ type: scalarTypes.int32, ...nulls, data: Int32Array.from(values as number[]) });
    case "float64":
      return arrow.makeData({ type: scalarTypes.float64, ...nulls, data: Float64Array.from(values as number[]) });
  }
}

function listData(type: ListType, values: readonly (ArrayLike<unknown> | null)[]): arrow.Data {
  const valueOffsets = new Int32Array(values.length + 1);
  values.forEach((value, index) => {
    valueOffsets[index + 1] = (valueOffsets[index] ?? 0) + (value?.length ?? 0);
  });
  const length = valueOffsets[values.length] ?? 0;
  const child = numbersData(type.element, values, length) ?? columnData(type.element, flattened(values, length));
  return arrow.makeData({ type: arrowType(type) as arrow.List, ...nullsOf(type, values), valueOffsets, child });
}

/** Elements of lists of plain numbers without a detour through an array of them all; null for other lists. */
function numbersData(element: ColumnType, values: readonly (ArrayLike<unknown> | null)[], length: number): arrow.Data | null {
  if (element.nullable || !(element.type === "int8" || element.type === "int32" || element.type === "float64")) return null;
  const numbers = new numberArrays[element.type](length);
  let end = 0;
  for (const value of values as readonly (ArrayLike<number> | null)[]) {
    if (value === null) continue;
    numbers.set(value, end);
    end += value.length;
  }
  const type = scalarTypes[element.type] as arrow.Int32; // and so the array: of each type its own, which the compiler cannot pair
  return arrow.makeData({ type, length, nullCount: 0, nullBitmap: null, data: numbers as Int32Array });
}

function flattened(values: readonly (ArrayLike<unknown> | null)[], length: number): unknown[] {
  const elements = new Array<unknown>(length);
  let end = 0;
  for (const value of values) for (let at = 0; value !== null && at < value.length; at++) elements[end++] = value[at];
  return elements;
}

function structData(type: StructType, values: readonly (Row | null)[]): arrow.Data {
  const children = Object.entries(type.fields).map(([name, field]) =>
    columnData(
      field,
      values.map((value) => value?.[name] ?? null),
    ),
  );
  return arrow.makeData({ type: arrowType(type) as arrow.Struct, ...nullsOf(type, values), children });
}

function utf8Buffers(values: readonly (string | null)[]): { valueOffsets: Int32Array; data: Buffer } {
  const valueOffsets = new Int32Array(values.length + 1);
  const data = Buffer.allocUnsafe(values.reduce((sum, value) => sum + (value === null ? 0 : Buffer.byteLength(value)), 0));
  let end = 0;
  values.forEach((value, index) => {
    if (value !== null) end += data.write(value, end, "utf8");
    valueOffsets[index + 1] = end;
  });
  return { valueOffsets, data };
}

function nullsOf(type: ColumnType, values: readonly unknown[]): { length: number; nullCount: number; nullBitmap: Uint8Array | null } {
  const nullCount = type.nullable ? values.reduce<number>((sum, value) => sum + (value === null ? 1 : 0), 0) : 0;
  const nullBitmap = nullCount > 0 ? bitmap(values.length, (index) => values[index] !== null) : null;
  return { length: values.length, nullCount, nullBitmap };
}

/** One bit each, lowest first. */
function bitmap(length: number, isSet: (index: number) => boolean): Uint8Array {
  const bits = new Uint8Array(Math.ceil(length / 8));
  for (let index = 0; index < length; index++) if (isSet(index)) bits[index >> 3] = (bits[index >> 3] ?? 0) | (1 << (index & 7));
  return bits;
}

// ---- Checking and measuring rows ----

/** Bytes of a value before compression, about. Throws if it is not of the type: the code that made the row is wrong. */
function measured(type: ColumnType, value: unknown, where: string): number {
  if (value === null && type.nullable) return 4;
  switch (type.type) {
    case "utf8":
      if (typeof value === "string") return 4 + Buffer.byteLength(value);
      break;
    case "bool":
      if (typeof value === "boolean") return 1;
      break;
    case "int8":
      if (typeof value === "number" && (value << 24) >> 24 === value) return 1;
      break;
    case "int32":
      if (typeof value === "number" && (value | 0) === value) return 4;
      break;
    case "float64":
      if (typeof value === "number") return 8;
      break;
    case "list":
      if (Array.isArray(value) || ArrayBuffer.isView(value)) return measuredElements(type, value as ArrayLike<unknown>, where);
      break;
    case "struct":
      if (typeof value === "object" && value !== null) return measuredFields(type.fields, value as Row, where);
      break;
  }
  const got = typeof value === "object" && value !== null ? "an object" : (JSON.stringify(value)?.slice(0, 40) ?? "nothing");
  throw new TypeError(`expected ${type.type}${type.nullable ? " or null" : ""} at ${where}, got ${got}`);
}

function measuredElements(type: ListType, elements: ArrayLike<unknown>, where: string): number {
  if (type.element.type === "int32" && elements instanceof Int32Array) return 4 + elements.byteLength;
  if (type.element.type === "int8" && elements instanceof Int8Array) return 4 + elements.byteLength;
  const elementWhere = `${where}[]`;
  let bytes = 4;
  for (let at = 0; at < elements.length; at++) bytes += measured(type.element, elements[at], elementWhere);
  return bytes;
}

function measuredFields(fields: ColumnSchema, row: Row, where: string): number {
  let bytes = 0;
  for (const name in fields) bytes += measured(fields[name] as ColumnType, row[name], `${where}.${name}`);
  for (const name in row)
    if (!Object.hasOwn(fields, name)) throw new TypeError(`expected no field ${JSON.stringify(name)} at ${where}: the schema has none`);
  return bytes;
}

// ---- Reading ----

/**
 * Rows as JSON-like values, one row group in memory at a time: 64-bit integers are numbers, or strings where a number would be inexact;
 * dates and times are ISO strings, bytes base64, absent is null. Without `columns`, all of them.
 */
export async function* readParquetRows(
  path: string,
  options: { readonly columns?: readonly string[] } = {},
): AsyncGenerator<Record<string, unknown>, void> {
  const file = await openParquet(path);
  try {
    const columns = options.columns ? checkedColumns(path, columnNames(file.metadata), options.columns) : columnNames(file.metadata);
    let rowStart = 0;
    for (const group of file.metadata.row_groups) {
      const rowEnd = rowStart + Number(group.num_rows);
      const rows = await readRange(path, file, columns, rowStart, rowEnd);
      for (const row of rows) yield Object.fromEntries(columns.map((column) => [column, toJsonLike(row[column])]));
      rowStart = rowEnd;
    }
  } finally {
    await file.handle.close();
  }
}

/** Names of the columns in the file's order; nested fields are not named. */
export async function readParquetSchema(path: string): Promise<string[]> {
  return withParquet(path, ({ metadata }) => columnNames(metadata));
}

/** From the footer, without reading the rows. */
export async function countParquetRows(path: string): Promise<number> {
  return withParquet(path, ({ metadata }) => Number(metadata.num_rows));
}

interface OpenParquet {
  readonly handle: FileHandle;
  readonly buffer: AsyncBuffer;
  readonly metadata: FileMetaData;
}

async function withParquet<T>(path: string, read: (file: OpenParquet) => T): Promise<T> {
  const file = await openParquet(path);
  try {
    return read(file);
  } finally {
    await file.handle.close();
  }
}

async function openParquet(path: string): Promise<OpenParquet> {
  const handle = await open(path, "r").catch((cause) => {
    throw unreadable(path, cause);
  });
  try {
    const { size } = await handle.stat();
    const buffer = { byteLength: size, slice: (start: number, end = size) => readExactly(handle, start, end) };
    if (size < 12) throw new Error(`${size} bytes`); // two marks of 4 and the footer's length
    return { handle, buffer, metadata: await parquetMetadataAsync(buffer, { geoparquet: false, parsers }) };
  } catch (cause) {
    await handle.close();
    throw unreadable(path, cause);
  }
}

async function readExactly(handle: FileHandle, start: number, end: number): Promise<ArrayBuffer> {
  const bytes = new Uint8Array(end - start);
  for (let filled = 0; filled < bytes.length; ) {
    const { bytesRead } = await handle.read(bytes, filled, bytes.length - filled, start + filled);
    if (bytesRead === 0) throw new Error(`the file ends at byte ${start + filled}, before byte ${end}`);
    filled += bytesRead;
  }
  return bytes.buffer;
}

async function readRange(path: string, file: OpenParquet, columns: string[], rowStart: number, rowEnd: number): Promise<Row[]> {
  try {
    const { buffer, metadata } = file;
    const rows = await parquetReadObjects({ file: buffer, metadata, columns, rowStart, rowEnd, compressors, parsers, geoparquet: false });
    if (rows.length !== rowEnd - rowStart) throw new Error(`${rows.length} rows instead of ${rowEnd - rowStart}`);
    return rows;
  } catch (cause) {
    throw unreadable(`${path} rows ${rowStart} to ${rowEnd}`, cause);
  }
}

/** Unlike the reader's own parser this keeps a byte order mark, which is part of the text. */
const utf8Decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const parsers = { stringFromBytes: (bytes: Uint8Array | undefined) => bytes && utf8Decoder.decode(bytes) };

function columnNames(metadata: FileMetaData): string[] {
  return parquetSchema(metadata).children.map(({ element }) => element.name);
}

function checkedColumns(path: string, present: readonly string[], wanted: readonly string[]): string[] {
  const missing = wanted.filter((column) => !present.includes(column));
  if (missing.length === 0) return [...wanted];
  const message = `expected columns ${missing.join(", ")} in ${path}, got ${present.join(", ")}; name columns that are there, or another file`;
  throw new Fault("DATA_ERRORS", "stop", message);
}

function unreadable(where: string, cause: unknown): Fault {
  const got = cause instanceof Error ? cause.message : String(cause);
  if (!isSystemError(cause)) {
    const message = `expected a whole Parquet file at ${where}, got one that cannot be read (${got}); make or download it again`;
    return new Fault("ROWS_CORRUPT", "stop", message, { cause });
  }
  const code = cause.code === "ENOENT" ? "INPUT_MISSING" : "IO";
  return new Fault(code, "stop", `expected a Parquet file at ${where}, got ${got}; check the path and its permissions`, { cause });
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && "syscall" in error;
}

function toJsonLike(value: unknown): unknown {
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : value.toString();
  if (typeof value !== "object" || value === null) return value ?? null;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  if (Array.isArray(value)) return value.map(toJsonLike);
  if (ArrayBuffer.isView(value)) return Array.from(value as unknown as ArrayLike<unknown>, toJsonLike);
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, toJsonLike(field)]));
}
