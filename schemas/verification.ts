import { z } from "zod";
import { Digest } from "./trajectory.ts";

/** What became of a patch. Closed set. */
export const VerificationStatus = z.enum([
  "resolved", // every named test passed
  "unresolved", // the tests ran, and a named one did not pass
  "no-patch", // nothing to test: the run changed nothing
  "patch-does-not-apply",
  "tests-timed-out",
  "unparsable-log", // the tests ran, and their log says nothing to rely on
  "infrastructure", // the verifier could not do its work, however often it tried
]);
export type VerificationStatus = z.infer<typeof VerificationStatus>;

/** Names of the task, in its order. A test that is missing from the log, or was skipped, is among the failed. */
export const NamedTests = z.strictObject({ passed: z.array(z.string()), failed: z.array(z.string()) });
export type NamedTests = z.infer<typeof NamedTests>;

/** Evidence of one verification, as it stands beside the trajectory. */
export const Verification = z.strictObject({
  status: VerificationStatus,
  /** What stood in the way, in a sentence; null: the tests ran and were read. */
  why: z.string().nullable(),
  /** Both empty unless the tests were read. */
  failToPass: NamedTests,
  passToPass: NamedTests,
  /** The verifier's test files that the patch had changed, made or deleted; they were put back before the tests ran. Sorted. */
  testsTouched: z.array(z.string()),
  /** Files of the patch that steer test runners (`conftest.py`, `package.json`, ...); they stay as the patch has them. Sorted. */
  runnerConfigTouched: z.array(z.string()),
  /** Of the test command; null: it was not run, or was stopped. */
  exitCode: z.int().nullable(),
  /** Of the whole log as it was read; null: the tests were not run. Differs from run to run where a log holds times. */
  logDigest: Digest.nullable(),
  /** Last characters of the log; null: the tests were not run. */
  logTail: z.string().nullable(),
  /** How the patch went in; null: it did not, or was not tried. */
  appliedBy: z.enum(["git-apply", "patch-fuzz"]).nullable(),
  /** Sandboxes it took, the last one included; 0: none was needed. */
  attempts: z.int().nonnegative(),
});
export type Verification = z.infer<typeof Verification>;

/** A row of a predictions file of the SWE-bench harness. Source: SWE-bench docs, "Evaluation". */
export const Prediction = z.strictObject({
  instance_id: z.string().min(1),
  model_name_or_path: z.string().min(1),
  /** Unified diff; empty: the harness counts the instance as unresolved without running it. */
  model_patch: z.string(),
});
export type Prediction = z.infer<typeof Prediction>;
