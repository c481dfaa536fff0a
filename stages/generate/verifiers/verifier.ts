import type { Outcome } from "../../stage.ts";

/**
 * `passed` also covers an expected failure that came (pytest's XFAIL, unittest's `expected failure`) and a non-strict XPASS, as
 * SWE-bench grades them. `error`: the test, its file or its whole package broke before it could say anything.
 */
export type TestStatus = "passed" | "failed" | "skipped" | "error";

/**
 * By test name as the log prints it. What broke before any test ran stands under the name that the runner gives it (a file, a package,
 * a crate), as `error`. A test that is not in here has not passed.
 */
export type TestResults = ReadonlyMap<string, TestStatus>;

/**
 * Reads the log of a test run: total, in linear time, deterministic. Rejected = the log says nothing to rely on, in a sentence that
 * tells what was expected, what came and what to do.
 *
 * Tests and the code under test write into the same log, so a line that looks like a pass proves nothing. Three rules, in every reader:
 * a pass counts only where the format puts passes; only when the number of passes equals the runner's own count (or, where the runner
 * does not count, its package ended as it should); and a failure of the same name anywhere beats it. What cannot be told from the
 * log: code that ends the runner itself after it printed a whole false run. The exit code proves as little: `|| true`, pipes and
 * clean-up after the tests are common in commands of data sets, so only `exit-code` reads it.
 */
export type Verifier = (log: string, exitCode: number | null) => Outcome<TestResults>;
