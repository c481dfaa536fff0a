import { type FileHandle, open } from "node:fs/promises";
import { type AsyncBuffer, type FileMetaData, parquetMetadataAsync, parquetReadObjects, parquetSchema } from "hyparquet";
import { compressors } from "hyparquet-compressors";
import type { Row } from "../../schemas/columns.ts";
import { Fault } from "../../schemas/fault.ts";
import { isHubPath, openHubFile } from "./hub-file.ts";

/**
 * Rows as JSON-like values, one row group in memory at a time: 64-bit integers are numbers, or strings where a number would be inexact;
 * dates and times are ISO strings, bytes base64, absent is null. `columns`: those wanted, or a choice among those that are there; left out: all.
 */
export async function* readParquetRows(
  path: string,
  options: { readonly columns?: readonly string[] | ((present: readonly string[]) => readonly string[]) } = {},
): AsyncGenerator<Record<string, unknown>, void> {
  const file = await openParquet(path);
  try {
    const present = columnNames(file.metadata);
    const wanted = typeof options.columns === "function" ? options.columns(present) : (options.columns ?? present);
    const columns = checkedColumns(path, present, wanted);
    let rowStart = 0;
    for (const group of file.metadata.row_groups) {
      const rowEnd = rowStart + Number(group.num_rows);
      const rows = await readRange(path, file, columns, rowStart, rowEnd);
      for (const row of rows) yield Object.fromEntries(columns.map((column) => [column, toJsonLike(row[column])]));
      rowStart = rowEnd;
    }
  } finally {
    await file.close();
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

/** Bytes of the end that are read in the hope that the footer is in them; a longer one is fetched in a second piece. Ours: footers of 100 columns are shorter. */
const initialFetchSize = 1 << 16;

interface OpenParquet {
  close(): Promise<void>;
  readonly buffer: AsyncBuffer;
  readonly metadata: FileMetaData;
}

async function withParquet<T>(path: string, read: (file: OpenParquet) => T): Promise<T> {
  const file = await openParquet(path);
  try {
    return read(file);
  } finally {
    await file.close();
  }
}

/** A file on disk, or `hf://`, of which only the footer and the columns that are wanted are fetched. */
async function openParquet(path: string): Promise<OpenParquet> {
  const { buffer, close } = isHubPath(path) ? { buffer: await openHubFile(path), close: async () => undefined } : await openLocal(path);
  try {
    if (buffer.byteLength < 12) throw new Error(`${buffer.byteLength} bytes`); // two marks of 4 and the footer's length
    return { close, buffer, metadata: await parquetMetadataAsync(buffer, { geoparquet: false, parsers, initialFetchSize }) };
  } catch (cause) {
    await close();
    throw unreadable(path, cause);
  }
}

async function openLocal(path: string): Promise<{ readonly buffer: AsyncBuffer; close(): Promise<void> }> {
  const handle = await open(path, "r").catch((cause) => {
    throw unreadable(path, cause);
  });
  const { size } = await handle.stat();
  return {
    buffer: { byteLength: size, slice: (start: number, end = size) => readExactly(handle, start, end) },
    close: () => handle.close(),
  };
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
  if (cause instanceof Fault) return cause; // the hub's own trouble is not the file's
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
