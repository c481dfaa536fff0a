import { z } from "zod";
import { Digest, TrajectoryId } from "./trajectory.ts";

/** What became of one input file. `partOf`: a part or another view of an imported run; `joined`: a report or list used for outcomes. */
export const Disposition = z.enum(["imported", "joined", "partOf", "empty", "refused", "quarantined"]);
export type Disposition = z.infer<typeof Disposition>;

/** A record that could not be read. `offset`: bytes from the start of the file (row number for Parquet). */
export const Quarantined = z.strictObject({ file: z.string(), offset: z.int().nonnegative(), why: z.string() });
export type Quarantined = z.infer<typeof Quarantined>;

/** What a report or list says about one instance. It holds for runs under the folder `scope` ("" = the whole input). */
export const OutcomeFact = z.strictObject({
  instance: z.string(),
  resolved: z.boolean(),
  scope: z.string(),
  /** Digest of the patch that was judged, where the report holds it; then only a run with that very patch is meant. */
  patch: Digest.nullable(),
  detail: z.string(),
  digest: Digest,
});
export type OutcomeFact = z.infer<typeof OutcomeFact>;

/** One input file accounted for. */
export const InputFile = z.strictObject({
  /** Relative to the input it was found under, `/`-separated. */
  file: z.string(),
  bytes: z.int().nonnegative(),
  sha256: Digest,
  disposition: Disposition,
  /** Reason for refused, quarantined, empty and partOf; what was joined; null for plain imports. */
  why: z.string().nullable(),
  dialect: z.string().nullable(),
  /** Runs read from this file, in order; a run seen before under the same id is named here too. */
  trajectories: z.array(TrajectoryId),
  /** Records without a single agent step. */
  emptyRecords: z.int().nonnegative(),
  quarantined: z.array(Quarantined),
  facts: z.array(OutcomeFact),
});
export type InputFile = z.infer<typeof InputFile>;

/** What the last import saw: `stages/1-generate/inputs.json`. Units whose key is known are not read again. */
export const InputsFile = z.strictObject({
  format: z.literal("catgen.inputs/1"),
  /** As given by --input, absolute; none where all trajectories are live runs. */
  paths: z.array(z.string()),
  limit: z.int().positive().nullable(),
  /** Stage key of the import that read these units. */
  stageKey: Digest,
  units: z.array(z.strictObject({ key: Digest, files: z.array(InputFile) })),
  /** Units that `limit` left unread. */
  unread: z.int().nonnegative(),
});
export type InputsFile = z.infer<typeof InputsFile>;
