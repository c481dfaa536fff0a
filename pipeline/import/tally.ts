import type { Disposition, InputFile, Quarantined } from "../../schemas/inputs.ts";
import type { Trajectory } from "../../schemas/trajectory.ts";
import type { InputPart } from "./plan.ts";
import { keptBytes } from "./split-lines.ts";

/** What a unit yields, in the order it is read; the `file` event of each file comes after everything that was in it. */
export type UnitEvent =
  | { readonly kind: "run"; readonly file: string; readonly record: number | null; readonly trajectory: Trajectory }
  | {
      readonly kind: "quarantined";
      readonly file: string;
      readonly offset: number;
      readonly why: string;
      /** At most 64 KiB of the raw record; `bytes` is its whole length. */
      readonly raw: { readonly base64: string; readonly bytes: number };
    }
  | { readonly kind: "file"; readonly report: InputFile };

/** Refused records whose bytes are held until it is known whether anything else in the file is imported. */
const heldRefusals = 100;

/** Unreadable records that are named one by one; of a file of garbage the rest is counted. */
const listed = 10_000;

type Refusal = Extract<UnitEvent, { kind: "quarantined" }>;

/** Keeps the account of one file. */
export interface Tally {
  readonly report: InputFile;
  readonly refusals: Refusal[];
  repeats: number;
  /** Records that could not be read beyond the `listed` ones. */
  more: number;
}

export const newTally = (part: InputPart): Tally => ({
  report: {
    file: part.name,
    bytes: part.bytes,
    sha256: part.sha256,
    disposition: "refused",
    why: null,
    dialect: null,
    trajectories: [],
    emptyRecords: 0,
    quarantined: [],
    facts: [],
  },
  refusals: [],
  repeats: 0,
  more: 0,
});

/** `bytes`: how long the raw record is, where `raw` holds only its beginning. */
export function quarantine(tally: Tally, offset: number, why: string, raw: Buffer, bytes = raw.length): UnitEvent {
  if (tally.report.quarantined.length < listed) tally.report.quarantined.push({ file: tally.report.file, offset, why });
  else tally.more += 1;
  return { kind: "quarantined", file: tally.report.file, offset, why, raw: { base64: raw.toString("base64", 0, keptBytes), bytes } };
}

/** A record that is no run. In a file that holds nothing else it is one reason for the whole file; beside runs it is quarantined. */
export function refuse(tally: Tally, offset: number, why: string, raw: Buffer): void {
  if (tally.refusals.length === listed) {
    tally.more += 1;
    return;
  }
  const base64 = tally.refusals.length < heldRefusals ? raw.toString("base64", 0, keptBytes) : "";
  tally.refusals.push({ kind: "quarantined", file: tally.report.file, offset, why, raw: { base64, bytes: raw.length } });
}

/** Decides what became of the file; yields the refusals that turned out to lie among runs. */
export function* close(tally: Tally): Generator<UnitEvent> {
  const { report, refusals } = tally;
  if (refusals.length > 0 && (report.trajectories.length > 0 || report.emptyRecords > 0 || report.quarantined.length > 0)) {
    for (const refusal of refusals) {
      const { file, offset, why } = refusal;
      report.quarantined.push({ file, offset, why });
      yield refusal;
    }
    report.quarantined.sort((a, b) => a.offset - b.offset);
  }
  const last = report.quarantined.at(-1);
  if (tally.more > 0 && last) report.quarantined.push({ ...last, why: `${tally.more} more records could not be read` });
  report.disposition = dispositionOf(report);
  report.why ??= whyOf(tally);
  yield { kind: "file", report };
}

function dispositionOf(report: InputFile): Disposition {
  if (report.disposition === "partOf") return "partOf";
  if (report.trajectories.length > 0) return "imported";
  if (report.facts.length > 0) return "joined";
  if (report.quarantined.length > 0) return "quarantined";
  return report.emptyRecords > 0 || report.disposition === "empty" ? "empty" : "refused";
}

function whyOf({ report, refusals, repeats }: Tally): string | null {
  if (report.disposition === "imported") return repeats === 0 ? null : `${repeats} of its records repeat a run read before`;
  if (report.disposition === "joined") return report.facts[0]?.detail ?? null;
  if (report.disposition === "quarantined") return report.quarantined[0]?.why ?? null;
  return report.disposition === "empty" ? "no agent turn" : (refusals[0]?.why ?? "nothing in it could be read");
}

export interface InputsSummary {
  readonly files: number;
  readonly imported: number;
  readonly joined: number;
  readonly partOf: number;
  readonly empty: number;
  readonly refused: readonly { readonly file: string; readonly why: string }[];
  readonly quarantined: readonly Quarantined[];
  readonly trajectories: number;
  readonly byDialect: Readonly<Record<string, number>>;
}

/** The `inputs` part of `status`. `imported`, `joined`, `partOf` count files; `empty` counts runs without a step; trajectories count once. */
export function summarise(reports: readonly InputFile[]): InputsSummary {
  const sorted = reports.toSorted((a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : 0));
  const count = (disposition: Disposition): number => sorted.filter((report) => report.disposition === disposition).length;
  const dialectOf = new Map(sorted.flatMap((report) => report.trajectories.map((id) => [id, report.dialect ?? "unknown"] as const)));
  const byDialect = new Map<string, number>();
  for (const dialect of dialectOf.values()) byDialect.set(dialect, (byDialect.get(dialect) ?? 0) + 1);
  return {
    files: sorted.length,
    imported: count("imported"),
    joined: count("joined"),
    partOf: count("partOf"),
    empty: sorted.reduce((sum, report) => sum + Math.max(report.emptyRecords, report.disposition === "empty" ? 1 : 0), 0),
    refused: sorted.filter((report) => report.disposition === "refused").map((report) => ({ file: report.file, why: report.why ?? "" })),
    quarantined: sorted.flatMap((report) => report.quarantined),
    trajectories: dialectOf.size,
    byDialect: Object.fromEntries([...byDialect].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}
