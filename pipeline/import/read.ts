import { auditAccountPath, auditPartColumns } from "../../schemas/audit.ts";
import { Fault } from "../../schemas/fault.ts";
import type { OutcomeFact } from "../../schemas/inputs.ts";
import { rowFields } from "../../stages/generate/dialects/lib-row-fields.ts";
import { dialectOf } from "../../stages/generate/import-record.ts";
import { describe, isFields } from "../../stages/generate/lenient.ts";
import { pageKind, samplesRefusal } from "../../stages/generate/other-formats.ts";
import { type Report, readMarkdownReport, readReport, withoutTrailingCommas } from "../../stages/generate/reports.ts";
import { readParquetRows } from "../adapters/parquet-reader.ts";
import { auditRecordOf } from "./audit-record.ts";
import { readCompletions, readEventFiles } from "./many-files.ts";
import { decode, parseJson } from "./parse.ts";
import type { InputPart, InputUnit } from "./plan.ts";
import {
  addEvent,
  anyValue,
  digest,
  type EventLog,
  eventsOf,
  isEventLine,
  joinReport,
  type Reading,
  type ReadOptions,
  recordOf,
  tooLong,
} from "./record.ts";
import { chunksOf, linesOf, type Packing, wholeOf } from "./split-lines.ts";
import { close, newTally, quarantine, type Tally, type UnitEvent } from "./tally.ts";
import { DamagedPacking } from "./unpack-zstd.ts";

export type { ReadOptions } from "./record.ts";
export { type InputsSummary, summarise, type UnitEvent } from "./tally.ts";

/** V8 holds no longer text. */
const longestText = 0x1fffffe8;

/** Reads one unit. Never throws because of what a file holds; a `Fault` means that the file could not be read at all. */
export async function* readUnit(unit: InputUnit, options: ReadOptions): AsyncGenerator<UnitEvent> {
  const reading: Reading = { options: { ...options, maxRecordBytes: Math.min(options.maxRecordBytes, longestText) }, seen: new Set() };
  try {
    if (unit.kind === "completions") yield* readCompletions(unit, reading);
    else if (unit.kind === "events") yield* readEventFiles(unit, reading);
    else for (const part of unit.files) yield* readPart(part, reading);
  } catch (cause) {
    const code = codeOf(cause);
    if (!systemError.test(code)) throw cause;
    throw new Fault("IO", "stop", `${unit.files[0]?.path} cannot be read (${code}); check disk and permissions, then run again`, { cause });
  }
}

/** What reports among the units say, for joining while the runs are read. Reads only files that begin like a report. */
export async function readFacts(units: readonly InputUnit[], options: ReadOptions): Promise<OutcomeFact[]> {
  const facts: OutcomeFact[] = [];
  for (const unit of units.filter((candidate) => candidate.mayHoldFacts)) {
    for await (const event of readUnit(unit, options)) if (event.kind === "file") facts.push(...event.report.facts);
  }
  return facts;
}

async function* readPart(part: InputPart, reading: Reading): AsyncGenerator<UnitEvent> {
  const tally = newTally(part);
  const why = part.problem ?? refusedByName(part.name);
  if (part.bytes === 0 && part.problem === null) {
    tally.report.disposition = "empty";
    tally.report.why = "an empty file";
  } else if (why !== null) {
    tally.report.why = why;
  } else if (/\.md$/i.test(part.name)) {
    await readPage(part, tally, reading);
  } else {
    yield* guarded(part, tally, contentOf(part, tally, reading));
  }
  yield* close(tally);
}

const archive = /\.(?:tar(?:\.\w+)?|tgz|zip|7z|bz2|xz|lz4)$/i;

function refusedByName(name: string): string | null {
  if (/(?:^|\/)manifest\.jsonl?$/i.test(name)) return "a manifest of files, not a run";
  if (name === auditAccountPath || name.endsWith(`/${auditAccountPath}`)) return "the account of the trajectories beside it, not a run";
  if (archive.test(name)) return "an archive or another packing than gzip and Zstandard: unpack it first";
  if (/\.(?:jsonl?|ndjson|traj)(?:\.gz|\.zst)?$|\.(?:parquet|md|gz|zst)$/i.test(name)) return null;
  const ending = /\.[A-Za-z0-9_-]{1,12}$/.exec(name)?.[0];
  return `not a kind of file that holds runs${ending ? ` (${ending})` : ""}`;
}

function contentOf(part: InputPart, tally: Tally, reading: Reading): AsyncGenerator<UnitEvent> {
  if (/\.parquet$/i.test(part.name)) return readParquet(part, tally, reading);
  return /\.(?:json|traj)(?:\.gz|\.zst)?$/i.test(part.name) ? readWhole(part, tally, reading) : readLines(part, tally, reading);
}

/** A file whose packing or layout is broken. */
class Damaged extends Error {
  override readonly name = "Damaged";
  /** Rows read before. */
  readonly rows: number;

  constructor(rows: number, cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.rows = rows;
  }
}

/** Damaged packing or a damaged table is a fact about the data, and what was read before it stays; a disk that fails is a fault. */
async function* guarded(part: InputPart, tally: Tally, events: AsyncGenerator<UnitEvent>): AsyncGenerator<UnitEvent> {
  try {
    yield* events;
  } catch (cause) {
    const packing = cause instanceof DamagedPacking || codeOf(cause).startsWith("Z_");
    if (!(cause instanceof Damaged) && !packing) throw cause;
    const said = cause instanceof Error ? cause.message : String(cause);
    const offset = cause instanceof Damaged ? cause.rows : 0;
    yield quarantine(tally, offset, `damaged file, read as far as possible: ${said.slice(0, 200)}`, Buffer.alloc(0), part.bytes);
  }
}

/** `ENOENT`, `EACCES`, `EIO`, ...; codes of Node itself start with `ERR_`. */
const systemError = /^E[A-Z0-9]+$/;

/** The system's code, also where an adapter wrapped the error. */
function codeOf(error: unknown): string {
  const inner = error instanceof Fault && error.cause !== undefined ? error.cause : error;
  return inner instanceof Error && "code" in inner ? String(inner.code) : "";
}

const packingOf = (part: InputPart): Packing => (/\.gz$/i.test(part.name) ? "gzip" : /\.zst$/i.test(part.name) ? "zstd" : "none");

// ---- One JSON text per file ----

async function* readWhole(part: InputPart, tally: Tally, reading: Reading): AsyncGenerator<UnitEvent> {
  const piece = await wholeOf(chunksOf(part.path, packingOf(part)), reading.options.maxRecordBytes);
  if (piece.length > reading.options.maxRecordBytes) {
    yield tooLong(tally, piece, reading);
    return;
  }
  const parsed = parseJson(piece.bytes);
  if (parsed.ok) yield* anyValue(parsed.value, part, tally, reading, parsed.marks, piece.bytes);
  else if (parsed.blank) {
    tally.report.disposition = "empty";
    tally.report.why = "a file of white space";
  } else if (holdsLines(piece.bytes)) yield* linesIn(oneChunk(piece.bytes), part, tally, reading);
  else if (!joinReport(tolerantReport(piece.bytes, part), part, tally)) yield quarantine(tally, 0, parsed.why, piece.bytes);
}

async function* oneChunk(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

/** A `.json` that is really one JSON text per line. */
function holdsLines(bytes: Buffer): boolean {
  const end = bytes.indexOf(10);
  if (end <= 0) return false;
  const first = parseJson(bytes.subarray(0, end));
  return first.ok && isFields(first.value);
}

/** Some published reports have a comma too many; files with another name, and runs, stay broken. */
function tolerantReport(bytes: Buffer, part: InputPart): Report | null {
  if (!/(?:report|results?|eval)[^/]*$/i.test(part.name) || bytes.length > 16 << 20) return null;
  const parsed = parseJson(Buffer.from(withoutTrailingCommas(decode(bytes).text)));
  return parsed.ok ? readReport(parsed.value, part.name) : null;
}

// ---- One record per line ----

async function* readLines(part: InputPart, tally: Tally, reading: Reading): AsyncGenerator<UnitEvent> {
  yield* linesIn(chunksOf(part.path, packingOf(part)), part, tally, reading);
}

async function* linesIn(chunks: AsyncIterable<Buffer>, part: InputPart, tally: Tally, reading: Reading): AsyncGenerator<UnitEvent> {
  let record = 0;
  let events: EventLog | null = null;
  // The first line that can be read tells whether the file is the log of one run.
  let decided = false;
  for await (const line of linesOf(chunks, reading.options.maxRecordBytes)) {
    if (line.length > reading.options.maxRecordBytes) {
      yield tooLong(tally, line, reading);
      record += 1;
      continue;
    }
    const parsed = parseJson(line.bytes);
    if (!parsed.ok && parsed.blank) continue;
    if (!parsed.ok && record === 0 && (yield* rescued(part, tally, reading))) return;
    if (parsed.ok && !decided && isEventLine(parsed.value)) events = { events: [], marks: new Set(), bytes: 0, broken: record > 0 };
    decided ||= parsed.ok;
    if (!parsed.ok) {
      yield quarantine(tally, line.offset, parsed.why, line.bytes);
      if (events) events.broken = true;
    } else if (events && !isFields(parsed.value)) {
      yield quarantine(tally, line.offset, `no entry of a log: ${describe(parsed.value)}`, line.bytes);
      events.broken = true;
    } else if (events) addEvent(events, parsed.value, parsed.marks, line.length);
    else
      yield* recordOf(parsed.value, part, tally, reading, {
        record,
        digest: digest(line.bytes),
        marks: parsed.marks,
        offset: line.offset,
        raw: line.bytes,
      });
    record += 1;
    if (events && events.bytes > reading.options.maxRecordBytes) {
      yield quarantine(
        tally,
        0,
        `the events of one run are longer than ${reading.options.maxRecordBytes} bytes`,
        Buffer.alloc(0),
        part.bytes,
      );
      return;
    }
  }
  if (events) yield* eventsOf(events, part, part.sha256, tally, reading);
  else if (record === 0) {
    tally.report.disposition = "empty";
    tally.report.why = "a file of white space";
  }
}

/** A `.jsonl` whose first line is no JSON may be one JSON text over many lines. */
async function* rescued(part: InputPart, tally: Tally, reading: Reading): AsyncGenerator<UnitEvent, boolean> {
  if (part.bytes > reading.options.maxRecordBytes) return false;
  const piece = await wholeOf(chunksOf(part.path, packingOf(part)), reading.options.maxRecordBytes);
  const parsed = piece.length > reading.options.maxRecordBytes ? null : parseJson(piece.bytes);
  if (!parsed?.ok) return false;
  yield* anyValue(parsed.value, part, tally, reading, parsed.marks, piece.bytes);
  return true;
}

// ---- Tables and pages ----

const isOurs = (column: string): boolean => column.startsWith("cat_");

/** Of our own tables all but what was made of a run that comes back, which pulling reads; of others' what dialects look at. */
const isRead = (column: string): boolean => (isOurs(column) ? !auditPartColumns.has(column) : rowFields.has(column));

/** Rows with the columns that are read; where the first of them is no run, with all, so that the refusal can say what is there. */
async function* tableRows(path: string): AsyncGenerator<Record<string, unknown>> {
  let known = false;
  const columns = (present: readonly string[]): readonly string[] => {
    known = present.some(isOurs);
    return present.filter(isRead);
  };
  for await (const row of readParquetRows(path, { columns })) {
    known ||= dialectOf(row, path) !== null;
    if (!known) break;
    yield row;
  }
  if (!known) yield* readParquetRows(path);
}

async function* rowsOf(path: string): AsyncGenerator<Record<string, unknown>> {
  let rows = 0;
  try {
    for await (const row of tableRows(path)) {
      yield row;
      rows += 1;
    }
  } catch (cause) {
    const world = systemError.test(codeOf(cause)) || (cause instanceof Fault && cause.code !== "ROWS_CORRUPT");
    throw world ? cause : new Damaged(rows, cause);
  }
}

async function* readParquet(part: InputPart, tally: Tally, reading: Reading): AsyncGenerator<UnitEvent> {
  let record = 0;
  for await (const row of rowsOf(part.path)) {
    if ("cat_sample_id" in row) {
      tally.report.why = samplesRefusal;
      return;
    }
    if ("cat_audit_id" in row) {
      yield* auditRecordOf(row, part, tally, reading, record);
      record += 1;
      continue;
    }
    // As JSON the row is what every dialect knows, and its digest does not depend on the packing.
    const text = JSON.stringify(row);
    const raw = Buffer.from(text);
    if (raw.length > reading.options.maxRecordBytes) yield tooLong(tally, { offset: record, length: raw.length, bytes: raw }, reading);
    else yield* recordOf(JSON.parse(text), part, tally, reading, { record, digest: digest(raw), marks: [], offset: record, raw });
    record += 1;
  }
}

async function readPage(part: InputPart, tally: Tally, reading: Reading): Promise<void> {
  const piece = await wholeOf(chunksOf(part.path, "none"), reading.options.maxRecordBytes);
  const { text } = decode(piece.bytes);
  if (!joinReport(readMarkdownReport(text), part, tally)) tally.report.why = pageKind(text);
}
