import { join } from "node:path";
import { Fault } from "../../schemas/fault.ts";
import type { TaskInstance } from "../../schemas/task-instance.ts";
import { isFields } from "../../stages/generate/lenient.ts";
import { readTask } from "../../stages/generate/tasks/read-task.ts";
import type { ReadTask } from "../../stages/generate/tasks/reader.ts";
import { readParquetRows } from "../adapters/parquet-reader.ts";
import { parseJson } from "../import/parse.ts";
import { chunksOf, linesOf, type Packing, type Piece, wholeOf } from "../import/split-lines.ts";
import { DamagedPacking } from "../import/unpack-zstd.ts";
import { findTasks } from "./find.ts";
import { readTaskFolder } from "./task-folder.ts";

export interface TaskReadOptions {
  /** A longer row, JSON file or task folder is refused without being held. */
  readonly maxRecordBytes: number;
}

interface Place {
  /** As the input was given, with the path below it. */
  readonly file: string;
  /** Row of the file, from 0; null: the file as a whole. */
  readonly record: number | null;
}

export type TaskEvent =
  | (Place & { readonly ok: true; readonly task: TaskInstance; readonly needs: readonly string[] })
  | (Place & { readonly ok: false; readonly why: string });

/**
 * Every task instance of files and folders, in a stable order, and why each of the others is none. Holds one row (of Parquet one row
 * group) at a time, and the ids. A `Fault` means that a path is missing or the disk fails, never that something in a file is wrong.
 */
export async function* readTasks(paths: readonly string[], options: TaskReadOptions): AsyncGenerator<TaskEvent> {
  const places = new Map<string, string>();
  for await (const source of findTasks(paths)) {
    if (source.kind === "refused")
      yield { ok: false, why: "not a kind of file that holds tasks (.json, .jsonl, .parquet, task.yaml)", file: source.path, record: null };
    else if (source.kind === "folder") yield once(await inFolder(source.path, options), places);
    else for await (const event of guarded(source.path, options)) yield once(event, places);
  }
}

/** The same instance of the same dataset a second time is no task: its runs would be counted twice. */
function once(event: TaskEvent, places: Map<string, string>): TaskEvent {
  if (!event.ok) return event;
  const { file, record, task } = event;
  const id = `${task.source}/${task.instance}`;
  const before = places.get(id);
  if (before !== undefined) return { ok: false, why: `${id} is a duplicate: it was read before from ${before}`, file, record };
  places.set(id, record === null ? file : `${file} record ${record}`);
  return event;
}

async function inFolder(folder: string, options: TaskReadOptions): Promise<TaskEvent> {
  const file = join(folder, "task.yaml");
  return placed(await readTaskFolder(folder, options.maxRecordBytes).catch(diskFault(file)), { file, record: null });
}

const placed = (read: ReadTask, place: Place): TaskEvent => ({ ...read, ...place });

const rowEvent = (value: unknown, file: string, record: number | null): TaskEvent =>
  placed(readTask(value, { folder: null }), { file, record });

/** Damage is a fact about the file, and what was read before it stays. */
async function* guarded(file: string, options: TaskReadOptions): AsyncGenerator<TaskEvent> {
  let rows = 0;
  try {
    for await (const event of rowsOf(file, options)) {
      rows += 1;
      yield event;
    }
    if (rows === 0) yield { ok: false, why: "an empty file", file, record: null };
  } catch (cause) {
    if (!isDamage(cause)) diskFault(file)(cause);
    const said = cause instanceof Error ? cause.message : String(cause);
    yield { ok: false, why: `damaged file, read as far as possible: ${said.slice(0, 200)}`, file, record: rows };
  }
}

function rowsOf(file: string, options: TaskReadOptions): AsyncGenerator<TaskEvent> {
  if (/\.parquet$/i.test(file)) return inTable(file);
  return /\.json(?:\.gz|\.zst)?$/i.test(file) ? inJson(file, options) : inLines(file, options);
}

const codeOf = (cause: unknown): string => (cause instanceof Error && "code" in cause ? String(cause.code) : "");

const isDamage = (cause: unknown): boolean =>
  cause instanceof DamagedPacking || codeOf(cause).startsWith("Z_") || (cause instanceof Fault && cause.code === "ROWS_CORRUPT");

const diskFault =
  (file: string) =>
  (cause: unknown): never => {
    if (cause instanceof Fault || !/^E[A-Z0-9]+$/.test(codeOf(cause))) throw cause;
    throw new Fault("IO", "stop", `${file} cannot be read (${codeOf(cause)}); check disk and permissions, then run again`, { cause });
  };

const packingOf = (file: string): Packing => (/\.gz$/i.test(file) ? "gzip" : /\.zst$/i.test(file) ? "zstd" : "none");

const tooLong = (piece: Piece, what: string, options: TaskReadOptions): string =>
  `${what} of ${piece.length} bytes, more than the limit of ${options.maxRecordBytes}`;

async function* inTable(file: string): AsyncGenerator<TaskEvent> {
  let record = 0;
  for await (const row of readParquetRows(file)) {
    yield rowEvent(row, file, record);
    record += 1;
  }
}

/** One row, or a list of them. */
async function* inJson(file: string, options: TaskReadOptions): AsyncGenerator<TaskEvent> {
  const piece = await wholeOf(chunksOf(file, packingOf(file)), options.maxRecordBytes);
  if (piece.length === 0) return;
  const parsed = piece.length > options.maxRecordBytes ? null : parseJson(piece.bytes);
  if (parsed === null)
    yield { ok: false, why: `${tooLong(piece, "a JSON file", options)}: write one row per line (.jsonl)`, file, record: null };
  else if (!parsed.ok && beginsWithRow(piece.bytes)) yield* linesIn(oneChunk(piece.bytes), file, options);
  else if (!parsed.ok) yield { ok: false, why: parsed.why, file, record: null };
  else if (!Array.isArray(parsed.value)) yield rowEvent(parsed.value, file, null);
  else for (const [record, row] of parsed.value.entries()) yield rowEvent(row, file, record);
}

/** Many `.json` files of datasets are really one row per line. */
function beginsWithRow(bytes: Buffer): boolean {
  const first = parseJson(bytes.subarray(0, Math.max(0, bytes.indexOf(10))));
  return first.ok && isFields(first.value);
}

async function* oneChunk(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

const inLines = (file: string, options: TaskReadOptions): AsyncGenerator<TaskEvent> =>
  linesIn(chunksOf(file, packingOf(file)), file, options);

async function* linesIn(chunks: AsyncIterable<Buffer>, file: string, options: TaskReadOptions): AsyncGenerator<TaskEvent> {
  let record = 0;
  for await (const line of linesOf(chunks, options.maxRecordBytes)) {
    const parsed = line.length > options.maxRecordBytes ? null : parseJson(line.bytes);
    if (parsed?.ok === false && parsed.blank) continue;
    if (parsed === null) yield { ok: false, why: tooLong(line, "a row", options), file, record };
    else if (!parsed.ok) yield { ok: false, why: parsed.why, file, record };
    else yield rowEvent(parsed.value, file, record);
    record += 1;
  }
}
