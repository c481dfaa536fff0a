import { type Mark, Trajectory } from "../../schemas/trajectory.ts";
import type { SecretOptions } from "../lib/secrets/find-secrets.ts";
import type { Dialect, FoundRun } from "./dialects/dialect.ts";
import { dialects } from "./dialects/index.ts";
import { idPart, trajectoryId } from "./identity.ts";
import { WrongShape } from "./lenient.ts";
import { marksOf } from "./marks.ts";
import { refusal } from "./other-formats.ts";
import { scrubRun } from "./scrub-run.ts";
import { instanceFromFile } from "./task-text.ts";

/** Where a record comes from; everything about it that its own content does not say. */
export interface RecordOrigin {
  /** Relative to the input, `/`-separated. */
  readonly file: string;
  readonly record: number | null;
  /** SHA-256 of the raw record. */
  readonly digest: string;
  /** The user's name for the source; null: the dialect's family. */
  readonly source: string | null;
  readonly licence: string | null;
  /** Used when the record does not name its task; null: taken from the file name. */
  readonly instance: string | null;
  /** What reading the bytes showed: `lossy-utf8`, `truncated`. */
  readonly marks: readonly Mark[];
}

export type ImportedRecord =
  | { readonly ok: true; readonly dialect: string; readonly trajectory: Trajectory }
  | { readonly ok: false; readonly dialect: string | null; readonly kind: "empty" | "refused" | "quarantined"; readonly why: string };

const dialectsOf = (value: unknown, file: string): Dialect[] =>
  Object.values<Dialect>(dialects).filter((dialect) => dialect.recognises(value, { file }));

/** The dialect that reads this value, if any. */
export const dialectOf = (value: unknown, file: string): Dialect | null => dialectsOf(value, file)[0] ?? null;

/** One parsed record -> a trajectory, or why not. Never throws because of the data, never changes `value`. `scrub`: null leaves secrets in. */
export function importRecord(
  value: unknown,
  origin: RecordOrigin,
  digest: (text: string) => string,
  scrub: SecretOptions | null = null,
): ImportedRecord {
  const [dialect, other] = dialectsOf(value, origin.file);
  if (dialect === undefined) return { ok: false, dialect: null, kind: "refused", why: refusal(value) };
  // No format is like that: somebody put one record into another, and only they know which is meant.
  if (other !== undefined)
    return { ok: false, dialect: null, kind: "refused", why: `two formats in one record, ${dialect.name} and ${other.name}` };
  const { name } = dialect;
  try {
    const read = dialect.read(value, { file: origin.file });
    if (!read.ok) return { ok: false, dialect: name, kind: read.kind, why: read.why };
    const checked = Trajectory.safeParse(finish(read.run, dialect, origin, digest, scrub));
    if (checked.success) return { ok: true, dialect: name, trajectory: checked.data };
    const [issue] = checked.error.issues;
    return { ok: false, dialect: name, kind: "quarantined", why: `${name}: ${issue?.path.join(".")}: ${issue?.message}` };
  } catch (error) {
    // JSON can be nested deeper than it can be written again.
    if (error instanceof RangeError)
      return { ok: false, dialect: name, kind: "quarantined", why: `${name}: nested too deeply (${error.message})` };
    if (error instanceof WrongShape) return { ok: false, dialect: name, kind: "quarantined", why: `${name}: ${error.message}` };
    throw error;
  }
}

function finish(
  found: FoundRun,
  dialect: Dialect,
  origin: RecordOrigin,
  digest: (text: string) => string,
  scrub: SecretOptions | null,
): Trajectory {
  const run = scrub === null ? found : scrubRun(found, scrub);
  const source = idPart(origin.source ?? run.source ?? dialect.family);
  const instance = idPart(run.instance ?? origin.instance ?? instanceFromFile(origin.file));
  return {
    format: "catgen.trajectory/1",
    // Of what was found: what is scrubbed is the user's choice and renames nothing.
    id: trajectoryId(source, instance, found.task, found.steps, digest),
    source,
    instance,
    origin: {
      dialect: dialect.name,
      file: origin.file,
      record: origin.record,
      digest: origin.digest,
      licence: run.licence ?? origin.licence,
      model: run.model,
      callStyle: run.callStyle,
    },
    task: run.task,
    steps: run.steps,
    outcome: run.outcome,
    marks: marksOf(run.steps, run.outcome, [...run.marks, ...origin.marks]),
  };
}
