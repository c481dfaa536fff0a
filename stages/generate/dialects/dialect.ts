import type { Mark, Outcome, SourceCallStyle, Step, Task } from "../../../schemas/trajectory.ts";

/** A run as a dialect understood it, before it gets its id, its origin and the marks that any run can have. */
export interface FoundRun {
  /** The source's own id of the task; null: only the file name may tell. */
  readonly instance: string | null;
  /** Where the record itself says which source it is of; the user's name for it goes first. */
  readonly source?: string;
  readonly model: string | null;
  readonly licence: string | null;
  readonly callStyle: SourceCallStyle;
  readonly task: Task;
  readonly steps: Step[];
  readonly outcome: Outcome;
  /** What only this dialect can see; `marks.ts` adds the rest. */
  readonly marks: readonly Mark[];
}

/** `empty`: a run without an agent turn. `refused`: known, but not something we import. `quarantined`: ours, but broken. */
export type ReadRun =
  | { readonly ok: true; readonly run: FoundRun }
  | { readonly ok: false; readonly kind: "empty" | "refused" | "quarantined"; readonly why: string };

export interface Hint {
  /** Name of the file, `/`-separated; tells nothing about the content. */
  readonly file: string;
}

/**
 * A format we import. No two dialects recognise the same record of any format; one that two recognise is refused. `recognises` looks at a few fields only; `read` may throw `WrongShape`
 * where a field that it needs has the wrong type. Neither changes the value.
 */
export interface Dialect {
  readonly name: string;
  /** Source name of its runs unless the user gives one. */
  readonly family: string;
  recognises(value: unknown, hint: Hint): boolean;
  /** Some runs are spread over lines or files. Is this one such piece? `recognises` and `read` then get the list of them all. */
  isEvent?(value: unknown): boolean;
  read(value: unknown, hint: Hint): ReadRun;
}
