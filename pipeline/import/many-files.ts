import { basename } from "node:path";
import type { Mark } from "../../schemas/trajectory.ts";
import { promptKeys } from "../../stages/generate/dialects/openhands-completions.ts";
import { isV1Event } from "../../stages/generate/dialects/openhands-v1-events.ts";
import { dialectOf } from "../../stages/generate/import-record.ts";
import { refusal } from "../../stages/generate/other-formats.ts";
import type { InputPart, InputUnit } from "./plan.ts";
import { addEvent, anyValue, type EventLog, eventsOf, type ParsedPart, parsedPart, type Reading, recordOf } from "./record.ts";
import { close, newTally, refuse, type Tally, type UnitEvent } from "./tally.ts";

/** One event per file: the files of one conversation are one run. */
export async function* readEventFiles(unit: InputUnit, reading: Reading): AsyncGenerator<UnitEvent> {
  const log: EventLog = { events: [], marks: new Set(), bytes: 0, broken: false };
  const tallies = unit.files.map(newTally);
  let expected: number | null = null;
  let main: number | null = null;
  for (const [index, part] of unit.files.entries()) {
    const tally = tallies[index] ?? newTally(part);
    const place = Number(/event-(\d+)/.exec(basename(part.name))?.[1]);
    if (expected !== null && place !== expected) log.broken = true;
    expected = place + 1;
    const parsed = yield* parsedPart(part, tally, reading);
    if (parsed === null) log.broken = true;
    else if (isV1Event(parsed.value) && log.bytes + part.bytes <= reading.options.maxRecordBytes) {
      addEvent(log, parsed.value, parsed.marks, part.bytes);
      main ??= index;
    } else refuse(tally, 0, isV1Event(parsed.value) ? "events beyond the record limit" : refusal(parsed.value), parsed.bytes);
  }
  const first = main === null ? undefined : unit.files[main];
  for (const [index, tally] of tallies.entries()) {
    if (first !== undefined && index === main) yield* eventsOf(log, first, unit.key, tally, reading);
    else if (first !== undefined && tally.report.quarantined.length === 0 && tally.refusals.length === 0)
      partOf(tally, `an event of the run in ${first.name}`);
    yield* close(tally);
  }
}

function partOf(tally: Tally, why: string): void {
  tally.report.disposition = "partOf";
  tally.report.why = why;
}

// ---- One model call per file: each call repeats the run so far ----

/** A logged call that no later call has taken up yet. */
interface Chain {
  readonly index: number;
  readonly part: InputPart;
  readonly parsed: ParsedPart;
  readonly keys: readonly string[];
}

export async function* readCompletions(unit: InputUnit, reading: Reading): AsyncGenerator<UnitEvent> {
  const tallies = unit.files.map(newTally);
  let open: Chain | null = null;
  let condensed: readonly Mark[] = [];
  for (const [index, part] of unit.files.entries()) {
    const tally = tallies[index] ?? newTally(part);
    const parsed = yield* parsedPart(part, tally, reading);
    if (parsed === null) continue;
    const keys = promptKeys(parsed.value);
    if (dialectOf(parsed.value, part.name)?.name !== "openhands-completions") {
      yield* anyValue(parsed.value, part, tally, reading, parsed.marks, parsed.bytes);
      continue;
    }
    if (open?.keys.every((key, at) => keys[at] === key)) {
      const before = tallies[open.index];
      if (before) partOf(before, `an earlier call of the run in ${part.name}`);
    } else if (open !== null) {
      yield* endChain(open, tallies, reading, condensed);
      // A prompt that starts alike and then differs was rewritten in mid-run.
      condensed = open.keys[0] === keys[0] && open.keys[1] === keys[1] ? ["pre-condensed"] : [];
    }
    open = { index, part, parsed, keys };
  }
  if (open !== null) yield* endChain(open, tallies, reading, condensed);
  for (const tally of tallies) yield* close(tally);
}

function* endChain(
  { index, part, parsed }: Chain,
  tallies: readonly Tally[],
  reading: Reading,
  marks: readonly Mark[],
): Generator<UnitEvent> {
  const tally = tallies[index];
  if (!tally) return;
  const found = { record: null, digest: part.sha256, marks: [...parsed.marks, ...marks], offset: 0, raw: parsed.bytes };
  yield* recordOf(parsed.value, part, tally, reading, found);
}
