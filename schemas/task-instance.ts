import { z } from "zod";

/** How the log of a test run is read; names of the registry `stages/generate/verifiers`. */
export const TestLogFormat = z.enum(["pytest", "unittest", "jest", "vitest", "node-test", "go-test", "cargo-test", "maven", "exit-code"]);
export type TestLogFormat = z.infer<typeof TestLogFormat>;

/** A file that the verifier puts in place before it runs the tests; the agent never sees it. */
export const TestFile = z.strictObject({
  /** Relative to the repository, `/`-separated, without `..`. */
  path: z.string().regex(/^(?!\/)(?!(?:.*\/)?\.\.(?:\/|$)).+$/),
  content: z.string(),
});
export type TestFile = z.infer<typeof TestFile>;

/** Where the repository comes from before the agent starts. */
export const TaskEnvironment = z.discriminatedUnion("kind", [
  /** A folder on this machine, copied without its `.git`. Absolute. */
  z.strictObject({ kind: z.literal("tree"), folder: z.string().startsWith("/") }),
  /** A container image that holds repository and dependencies (`swebench/sweb.eval.x86_64...`, `jyangballin/swesmith...`). */
  z.strictObject({ kind: z.literal("image"), image: z.string().min(1) }),
]);
export type TaskEnvironment = z.infer<typeof TaskEnvironment>;

/**
 * One thing to solve, as every reader of `stages/generate/tasks` returns it. The gold patch is never part of it: what the
 * agent's loop does not hold it cannot leak.
 */
export const TaskInstance = z.strictObject({
  format: z.literal("catgen.task/1"),
  /** Name of a reader in `stages/generate/tasks` (`swe-bench`, `swe-smith`, `folder`, ...). First part of the trajectory's id. */
  source: z.string().regex(/^[^/\s]+$/),
  instance: z.string().min(1),
  /** `owner/name` of the repository the task was made from (mirrors un-mangled); null: not known. */
  repository: z.string().nullable(),
  baseCommit: z.string().nullable(),
  /** The problem statement. */
  issue: z.string().min(1),
  environment: TaskEnvironment,
  /** Absolute path of the repository inside the sandbox (`/testbed`, `/workspace/stanza`). */
  workdir: z.string().startsWith("/"),
  /**
   * Shell command, run in `workdir` before the fresh commit, in the verifier's sandbox too: brings the image's repository into the state
   * the agent starts from; null: none. Never shown to the agent: SWE-smith's holds the diff that makes the bug, whose inverse is the answer.
   */
  prepare: z.string().nullable(),
  tests: z.strictObject({
    /** Shell command, run in `workdir` after the test files were put in place. */
    command: z.string().min(1),
    log: TestLogFormat,
    /** Names as the log prints them; must fail before and pass after. */
    failToPass: z.array(z.string()).min(1),
    passToPass: z.array(z.string()),
    /** Whole files of the verifier. */
    files: z.array(TestFile),
    /** Unified diff with the verifier's tests (`test_patch`); null: none. */
    patch: z.string().nullable(),
    timeoutMs: z.int().positive(),
  }),
  licence: z.string().nullable(),
});
export type TaskInstance = z.infer<typeof TaskInstance>;
