import { z } from "zod";
import { Digest, TrajectoryId } from "./trajectory.ts";

const Count = z.int().nonnegative();

/** What went in and what became of it: `in = out + rejected + quarantined + failed`, always. */
export const Tallies = z
  .strictObject({
    in: Count,
    out: Count,
    /** Facts about data, by reason; such rows are stored. */
    rejected: z.record(z.string(), Count),
    /** Input that could not be read; kept apart with file, offset and reason. */
    quarantined: Count,
    /** Records on which something broke; the next run tries them again. */
    failed: Count,
  })
  .refine(
    (tallies) =>
      tallies.in === tallies.out + Object.values(tallies.rejected).reduce((a, b) => a + b, 0) + tallies.quarantined + tallies.failed,
    "expected in = out + rejected + quarantined + failed",
  );
export type Tallies = z.infer<typeof Tallies>;

/** A shard's only mark of being done, written last. Times, host and process are here and never in rows. */
export const ShardManifest = z.strictObject({
  format: z.literal("catgen.manifest/1"),
  stage: z.string(),
  shard: Count,
  of: z.int().positive(),
  /** Digest of stage, version, parameters and tokenizer; `keys/<first 12 digits>.json` has the text of it. */
  stageKey: Digest,
  /** `content` of each part that was read; for stage 1 digests of the list of records and of the facts joined. */
  inputs: z.record(z.string(), Digest),
  /** `sha256` is of the file's bytes, `content` of its ids and outcomes alone: rows made anew with equal outcomes concern nobody downstream. */
  output: z.strictObject({ file: z.string(), sha256: Digest, content: Digest, bytes: Count, rows: Count }),
  tallies: Tallies,
  failures: z.array(z.strictObject({ id: TrajectoryId, code: z.string(), message: z.string() })),
  /** Rows taken over from an earlier result, because nothing they rest on had changed. */
  reusedRows: Count,
  host: z.string(),
  pid: z.int(),
  started: z.string(),
  ended: z.string(),
});
export type ShardManifest = z.infer<typeof ShardManifest>;

/** Fixed when a run is created. */
export const RunFile = z.strictObject({
  format: z.literal("catgen.run/1"),
  name: z.string(),
  shards: z.int().positive(),
  created: z.string(),
});
export type RunFile = z.infer<typeof RunFile>;

/** What shaped a stage's keys, as text, so that `why` can say what changed. */
export const KeyMaterial = z.strictObject({
  stage: z.string(),
  version: z.int().positive(),
  tokenizer: Digest.nullable(),
  params: z.json(),
});
export type KeyMaterial = z.infer<typeof KeyMaterial>;

/** The export folder's mark of being done. */
export const ExportManifest = z.strictObject({
  format: z.literal("catgen.export/1"),
  stageKey: Digest,
  inputs: z.record(z.string(), Digest),
  files: z.array(z.strictObject({ path: z.string(), sha256: Digest, bytes: Count, rows: Count.nullable() })),
  tallies: Tallies,
  host: z.string(),
  pid: z.int(),
  started: z.string(),
  ended: z.string(),
});
export type ExportManifest = z.infer<typeof ExportManifest>;
