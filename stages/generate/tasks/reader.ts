import type { TaskInstance, TestFile } from "../../../schemas/task-instance.ts";

/** `needs`: programs that must be on the machine (`node`, `python3`); an image brings its own, so rows of datasets need none. */
export type ReadTask =
  | { readonly ok: true; readonly task: TaskInstance; readonly needs: readonly string[] }
  | { readonly ok: false; readonly why: string };

/** What only the caller can know. */
export interface TaskHint {
  /** Of a task folder; null: the value is a row of a dataset. */
  readonly folder: {
    /** A path of `task.yaml` -> absolute. */
    resolve(path: string): string;
    /** Files under `tests/`, by their path there. */
    readonly testFiles: readonly TestFile[];
  } | null;
}

/**
 * A kind of task instance we read. No two readers recognise the same value. `recognises` looks at a few fields only; `read` may throw
 * `WrongShape` where a field that it needs is missing or of the wrong type. Neither changes the value.
 *
 * Test names are those of the dataset's own log parser, unchanged. Two of its habits matter to a verifier: SWE-bench's pytest parsers
 * split a summary line at white space, so a name with a space in its parameters ends at the first one (`test_x[a` for `test_x[a b]`),
 * and Django's tests may go by the first line of their docstring instead of `test_x (module.Class)`.
 */
export interface TaskReader {
  /** Also the `source` of its tasks. */
  readonly name: string;
  recognises(value: unknown): boolean;
  read(value: unknown, hint: TaskHint): ReadTask;
}
