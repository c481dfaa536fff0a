import { z } from "zod";
import { ExitStatus } from "./trajectory.ts";
import { VerificationStatus } from "./verification.ts";

/** One finished live run, by the name of its record. */
export const FinishedRollout = z.strictObject({
  source: z.string(),
  instance: z.string(),
  sample: z.int().nonnegative(),
  exit: ExitStatus,
  steps: z.int().nonnegative(),
  /** null: not verified. */
  verification: VerificationStatus.nullable(),
});
export type FinishedRollout = z.infer<typeof FinishedRollout>;

/** A task that is not worked on, and why. */
export const LeftOut = z.strictObject({ file: z.string(), record: z.int().nonnegative().nullable(), why: z.string() });
export type LeftOut = z.infer<typeof LeftOut>;

/** Account of the live runs of a run folder: `rollouts/account.json`. */
export const RolloutsFile = z.strictObject({
  format: z.literal("catgen.rollouts/1"),
  /** As given by --tasks, absolute. */
  paths: z.array(z.string()).min(1),
  limit: z.int().positive().nullable(),
  tasks: z.int().nonnegative(),
  /** Runs that tasks and recipe ask for. */
  wanted: z.int().nonnegative(),
  leftOut: z.array(LeftOut),
  /** Runs that were begun and broke (sandbox, endpoint, task); they are tried again by the next `run`. */
  failed: z.array(z.strictObject({ id: z.string(), code: z.string(), message: z.string() })),
  /** Those wanted now, sorted by name; records of other recipes stay on disk and are not imported. */
  finished: z.record(z.string(), FinishedRollout),
});
export type RolloutsFile = z.infer<typeof RolloutsFile>;
