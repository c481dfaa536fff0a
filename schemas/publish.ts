import { z } from "zod";
import { GateName } from "./recipe/publish.ts";
import { Digest } from "./trajectory.ts";

const Count = z.int().nonnegative();

/** What a gate stops at. `subject` names it in recipe `publish.approved`; `approved`: the reason given there, null: none, so it blocks. */
export const GateFinding = z.strictObject({ subject: z.string(), what: z.string(), approved: z.string().nullable() });
export type GateFinding = z.infer<typeof GateFinding>;

/** What one gate looked at and found. It blocks when a finding is not approved. */
export const GateResult = z.strictObject({
  gate: GateName,
  looked: z.string(),
  /** How to mend what was found; null: nothing was. */
  mend: z.string().nullable(),
  findings: z.array(GateFinding),
});
export type GateResult = z.infer<typeof GateResult>;

export const PublishFile = z.strictObject({ path: z.string(), bytes: Count, sha256: Digest });
export type PublishFile = z.infer<typeof PublishFile>;

/** `catgen publish --json`: a contract. */
export const Published = z.strictObject({
  run: z.string(),
  repo: z.string(),
  hub: z.string(),
  branch: z.string(),
  tag: z.string().nullable(),
  private: z.boolean(),
  dryRun: z.boolean(),
  /** What the dataset on the hub consists of afterwards, sorted by path. */
  files: z.array(PublishFile),
  bytes: Count,
  /** Files of the export that do not go, with the reason. */
  leftOut: z.array(z.strictObject({ path: z.string(), why: z.string() })),
  gates: z.array(GateResult),
  /** null: a dry run. `unchanged`: the hub had the very same files already, and there was nothing to commit. */
  done: z
    .strictObject({
      commit: z.string(),
      url: z.string(),
      unchanged: z.boolean(),
      created: z.boolean(),
      /** Files in the commit, and those of an earlier publication that it removes. */
      changed: z.array(z.string()),
      removed: z.array(z.string()),
      /** Bytes of large files that went over the wire in this call; what the hub had already is not sent again. */
      sentBytes: Count,
    })
    .nullable(),
});
export type Published = z.infer<typeof Published>;
