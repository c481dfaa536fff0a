import { createHash } from "node:crypto";
import type { Mark } from "../../schemas/trajectory.ts";
import type { Dialect } from "../../stages/generate/dialects/dialect.ts";
import { dialects } from "../../stages/generate/dialects/index.ts";
import { dialectOf, importRecord, type RecordOrigin } from "../../stages/generate/import-record.ts";
import { refusal } from "../../stages/generate/other-formats.ts";
import { factsOf, type Report, readReport } from "../../stages/generate/reports.ts";
import { instanceFromFile } from "../../stages/generate/task-text.ts";
import type { SecretOptions } from "../../stages/lib/secrets/find-secrets.ts";
import { parseJson } from "./parse.ts";
import type { InputPart } from "./plan.ts";
import { chunksOf, type Piece, wholeOf } from "./split-lines.ts";
import { quarantine, refuse, type Tally, type UnitEvent } from "./tally.ts";

export interface ReadOptions {
  /** The user's name for the source; null: the dialect's family. */
  readonly source: string | null;
  /** Used where the record names none. */
  readonly licence: string | null;
  /** A longer record (a line, a row, a whole JSON file) is quarantined without ever being held. */
  readonly maxRecordBytes: number;
  /** What is replaced in every text; left out: nothing. */
  readonly scrub?: SecretOptions;
}

export interface Reading {
  readonly options: ReadOptions;
  /** Ids of this unit; a second run of the same id is named in the report but not given out again. */
  readonly seen: Set<string>;
}

export const digest = (data: string | Buffer): string => createHash("sha256").update(data).digest("hex");

export interface Found {
  readonly record: number | null;
  readonly digest: string;
  readonly marks: readonly Mark[];
  readonly offset: number;
  readonly raw: Buffer;
}

export function* recordOf(value: unknown, part: InputPart, tally: Tally, reading: Reading, found: Found): Generator<UnitEvent> {
  const { source, licence } = reading.options;
  const origin: RecordOrigin = {
    file: part.name,
    record: found.record,
    digest: found.digest,
    source,
    licence,
    instance: instanceHint(part.name),
    marks: found.marks,
  };
  const read = importRecord(value, origin, digest, reading.options.scrub ?? null);
  if (read.dialect !== null) tally.report.dialect ??= read.dialect;
  if (read.ok) {
    const { trajectory } = read;
    tally.report.trajectories.push(trajectory.id);
    if (reading.seen.has(trajectory.id)) tally.repeats += 1;
    else yield { kind: "run", file: part.name, record: found.record, trajectory };
    reading.seen.add(trajectory.id);
  } else if (read.kind === "empty") {
    tally.report.emptyRecords += 1;
    tally.report.why ??= read.why;
  } else if (read.kind === "quarantined") {
    yield quarantine(tally, found.offset, found.record === null ? read.why : `record ${found.record}: ${read.why}`, found.raw);
  } else refuse(tally, found.offset, read.why, found.raw);
}

const sayNothing = new Set(
  "agent trajectory traj messages history output events event_service conversation run runs result last data train".split(" "),
);
/** Names of single calls and events. */
const partName = /-\d{9,}(?:\.\d+)?$|^event-\d+-/;

/** Many scaffolds name the folder after the task and the file after its kind. */
function instanceHint(name: string): string {
  const folders = name.split("/");
  const file = instanceFromFile(folders.pop() ?? name);
  if (!sayNothing.has(file) && !partName.test(file)) return file;
  return folders.findLast((folder) => !sayNothing.has(folder)) ?? file;
}

export async function* anyValue(
  value: unknown,
  part: InputPart,
  tally: Tally,
  reading: Reading,
  marks: readonly Mark[],
  bytes: Buffer,
): AsyncGenerator<UnitEvent> {
  if (dialectOf(value, part.name) !== null)
    yield* recordOf(value, part, tally, reading, { record: null, digest: part.sha256, marks, offset: 0, raw: bytes });
  else if (joinReport(readReport(value, part.name), part, tally)) return;
  else if (!Array.isArray(value) || !value.some((row) => dialectOf(row, part.name) !== null)) refuse(tally, 0, refusal(value), bytes);
  else {
    for (const [record, row] of value.entries()) {
      const text = textOf(row);
      if (text === null) {
        yield quarantine(tally, 0, `record ${record}: nested too deeply to be written again`, Buffer.alloc(0));
        continue;
      }
      yield* recordOf(row, part, tally, reading, { record, digest: digest(text), marks, offset: 0, raw: Buffer.from(text) });
    }
  }
}

/** JSON can be nested deeper than it can be written. */
function textOf(row: unknown): string | null {
  try {
    return JSON.stringify(row) ?? "null";
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

export function joinReport(report: Report | null, part: InputPart, tally: Tally): boolean {
  if (report === null) return false;
  tally.report.facts = factsOf(report, part.name, part.sha256, digest);
  return true;
}

export const tooLong = (tally: Tally, piece: Piece, { options }: Reading): UnitEvent =>
  quarantine(
    tally,
    piece.offset,
    `a record of ${piece.length} bytes, more than the limit of ${options.maxRecordBytes}`,
    piece.bytes,
    piece.length,
  );

export interface ParsedPart {
  readonly value: unknown;
  readonly marks: readonly Mark[];
  readonly bytes: Buffer;
}

/** A small JSON file; null: quarantined or empty, and the tally says so. */
export async function* parsedPart(part: InputPart, tally: Tally, reading: Reading): AsyncGenerator<UnitEvent, ParsedPart | null> {
  const piece = await wholeOf(chunksOf(part.path, "none"), reading.options.maxRecordBytes);
  if (piece.length > reading.options.maxRecordBytes) {
    yield tooLong(tally, piece, reading);
    return null;
  }
  const parsed = parseJson(piece.bytes);
  if (parsed.ok) return { value: parsed.value, marks: parsed.marks, bytes: piece.bytes };
  if (parsed.blank) {
    tally.report.disposition = "empty";
    tally.report.why = "an empty file";
  } else yield quarantine(tally, 0, parsed.why, piece.bytes);
  return null;
}

// ---- One event per line or per file: many records, one run ----

export interface EventLog {
  readonly events: unknown[];
  readonly marks: Set<Mark>;
  bytes: number;
  /** Some event could not be read: the run is there, but not whole. */
  broken: boolean;
}

export const isEventLine = (value: unknown): boolean =>
  Object.values<Dialect>(dialects).some((dialect) => dialect.isEvent?.(value) === true);

export function addEvent(log: EventLog, event: unknown, marks: readonly Mark[], bytes: number): void {
  log.events.push(event);
  log.bytes += bytes;
  for (const mark of marks) log.marks.add(mark);
}

export function* eventsOf(log: EventLog, part: InputPart, sha256: string, tally: Tally, reading: Reading): Generator<UnitEvent> {
  const marks: Mark[] = [...log.marks, ...(log.broken ? (["truncated"] as const) : [])];
  yield* recordOf(log.events, part, tally, reading, { record: null, digest: sha256, marks, offset: 0, raw: Buffer.alloc(0) });
}
