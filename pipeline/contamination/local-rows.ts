import { Fault } from "../../schemas/fault.ts";
import { isFields } from "../../stages/generate/lenient.ts";
import { readParquetRows } from "../adapters/parquet-reader.ts";
import { parseJson } from "../import/parse.ts";
import { chunksOf, linesOf, type Packing, wholeOf } from "../import/split-lines.ts";
import { DamagedPacking } from "../import/unpack-zstd.ts";

export interface LocalRow {
  /** From 0. */
  readonly number: number;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** A JSON file, or one line of one, is held whole; evaluation sets are far below (SWE-bench: 2,294 rows, 100 MB with all columns). */
const maxRecordBytes = 500e6;

const packingOf = (path: string): Packing => (/\.gz$/i.test(path) ? "gzip" : /\.zst$/i.test(path) ? "zstd" : "none");

const broken = (path: string, where: string, why: string): Fault =>
  new Fault("DATA_ERRORS", "stop", `${path}${where}: expected rows with named fields, got ${why}`);

function rowOf(path: string, number: number, value: unknown): LocalRow {
  if (!isFields(value))
    throw broken(path, `, row ${number}`, `${Array.isArray(value) ? "a list" : `${value === null ? "null" : typeof value}`}`);
  return { number, fields: value };
}

async function* fromLines(path: string, chunks: AsyncIterable<Buffer>): AsyncGenerator<LocalRow> {
  let number = 0;
  for await (const line of linesOf(chunks, maxRecordBytes)) {
    const parsed = line.length > maxRecordBytes ? null : parseJson(line.bytes);
    if (parsed?.ok === false && parsed.blank) continue;
    if (parsed === null || !parsed.ok)
      throw broken(path, `, row ${number}`, parsed === null ? `a line of ${line.length} bytes` : parsed.why);
    yield rowOf(path, number, parsed.value);
    number += 1;
  }
}

async function* oneChunk(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

/** A list of rows, one row, or, as many `.json` files of datasets really are, one row per line. */
async function* fromJson(path: string): AsyncGenerator<LocalRow> {
  const piece = await wholeOf(chunksOf(path, packingOf(path)), maxRecordBytes);
  const parsed = piece.length > maxRecordBytes ? null : parseJson(piece.bytes);
  if (parsed === null) throw broken(path, "", `${piece.length} bytes of JSON: write one row per line (.jsonl)`);
  if (!parsed.ok) yield* fromLines(path, oneChunk(piece.bytes));
  else if (!Array.isArray(parsed.value)) yield rowOf(path, 0, parsed.value);
  else for (const [number, value] of parsed.value.entries()) yield rowOf(path, number, value);
}

async function* fromParquet(path: string): AsyncGenerator<LocalRow> {
  let number = 0;
  for await (const fields of readParquetRows(path)) {
    yield { number, fields };
    number += 1;
  }
}

function rowsIn(path: string): AsyncGenerator<LocalRow> {
  if (/\.parquet$/i.test(path)) return fromParquet(path);
  if (/\.json(?:\.gz|\.zst)?$/i.test(path)) return fromJson(path);
  if (/\.(?:jsonl|ndjson)(?:\.gz|\.zst)?$/i.test(path)) return fromLines(path, chunksOf(path, packingOf(path)));
  throw new Fault(
    "USAGE",
    "stop",
    `expected a file of rows (.parquet, .jsonl, .ndjson or .json, the last three also as .gz or .zst), got ${path}`,
  );
}

function asFault(path: string, error: unknown): unknown {
  const code = error instanceof Error && "code" in error && !(error instanceof Fault) ? String(error.code) : "";
  if (code === "ENOENT")
    return new Fault("INPUT_MISSING", "stop", `there is no file ${path}; give --from a file that is there`, { cause: error });
  if (error instanceof DamagedPacking || code.startsWith("Z_"))
    return new Fault("DATA_ERRORS", "stop", `${path} is damaged and cannot be unpacked; fetch it again`, { cause: error });
  return error;
}

/** The rows of a local file, one (of Parquet one row group) in memory at a time; a `.json` file whole. */
export async function* readLocalRows(path: string): AsyncGenerator<LocalRow> {
  try {
    yield* rowsIn(path);
  } catch (error) {
    throw asFault(path, error);
  }
}
