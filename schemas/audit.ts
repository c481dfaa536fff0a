import { z } from "zod";
import { type ColumnSchema, nullable, utf8 } from "./columns.ts";
import { KeyMaterial } from "./manifest.ts";
import { Digest } from "./trajectory.ts";

const Count = z.int().nonnegative();

/** Where the audit of a dataset lies, from its top. */
export const auditFolder = "audit";
export const auditAccountPath = `${auditFolder}/audit.json`;

/** Parts of a row of the audit beside the trajectory: what judging rests on. Verdicts are no part of it, they are made anew. */
export const auditParts = ["detection", "memory", "workspace", "metrics"] as const;
export type AuditPart = (typeof auditParts)[number];

/**
 * One trajectory with all that was found out about it, each part as JSON text: the trajectory itself, and `{ rev, from, outcome }` of
 * every other part (null: its stage broke on the record).
 */
export const auditColumns = {
  cat_audit_id: utf8,
  cat_instance_id: utf8,
  cat_source: utf8,
  cat_license: nullable(utf8),
  cat_audit_trajectory: utf8,
  cat_audit_detection: nullable(utf8),
  cat_audit_memory: nullable(utf8),
  cat_audit_workspace: nullable(utf8),
  cat_audit_metrics: nullable(utf8),
} as const satisfies ColumnSchema;

/**
 * Why a rejected trajectory does not travel: it works on a task that models are evaluated on, or measuring broke on it, so that nobody held
 * it against those tasks.
 */
export const withheldReasons = ["evaluation-task", "not-measured"] as const;
export type WithheldReason = (typeof withheldReasons)[number];

/** Columns of an audit that importing its trajectories does not read. */
export const auditPartColumns: ReadonlySet<string> = new Set(auditParts.map((part) => `cat_audit_${part}`));

/** Steps whose rows travel and cannot be had again for nothing: stitching costs nothing, and judging is what is done anew. */
export const auditSteps = ["detect", "condense", "measure"] as const;
export type AuditStep = (typeof auditSteps)[number];

/** `audit/audit.json`: what made the rows beside it, and which files they are. */
export const AuditAccount = z.strictObject({
  format: z.literal("catgen.audit/1"),
  /** Version of catgen that wrote it. */
  catgen: z.string(),
  /** The recipe of the run without what belongs to its machine: paths, the endpoint's address, approvals. */
  recipe: z.json(),
  /** What shaped the keys of the rows, by that recipe. */
  steps: z.strictObject({ detect: KeyMaterial, condense: KeyMaterial, measure: KeyMaterial }),
  /** Digest of what the files were made of: an export with the same takes them as they are. */
  key: Digest,
  /** Paths from the top of the dataset. */
  files: z.array(z.strictObject({ path: z.string(), sha256: Digest, bytes: Count, rows: Count })),
  /** Trajectories that are in no file, by the reason: one of `withheldReasons`, or the type of what looks like a secret. */
  leftOut: z.record(z.string(), Count),
});
export type AuditAccount = z.infer<typeof AuditAccount>;
