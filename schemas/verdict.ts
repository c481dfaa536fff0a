import { z } from "zod";
import { FilterAction } from "./filter-action.ts";

/** One filter that fails: the value it saw, the limit it holds against it, and what came of it. */
export const Failure = z.strictObject({
  filter: z.string(),
  /** The context call that fails, counted from 0; null where the filter looks at no single one. */
  block: z.int().nonnegative().nullable(),
  value: z.union([z.number(), z.string(), z.boolean(), z.null()]),
  limit: z.union([z.number(), z.string(), z.boolean(), z.null()]),
  /** As it was taken: where the last call could not be dropped, `reject-context`. */
  action: FilterAction,
});
export type Failure = z.infer<typeof Failure>;

/** `keep` counts what stands above it too; `failed` names only its own failures, all of them, those that are merely flagged included. */
export const Decision = z.strictObject({ keep: z.boolean(), failed: z.array(Failure) });
export type Decision = z.infer<typeof Decision>;

/**
 * Stage 5b. `trajectory` rules over everything; `context` (the context management as a whole, and each of its blocks) over segments and
 * condensations; the lists run parallel to `Workspace`.
 */
export const Verdict = z.strictObject({
  trajectory: Decision,
  context: Decision,
  segments: z.array(Decision),
  condensations: z.array(Decision),
  base: Decision,
  /**
   * Not null: the last context call is left out, and this decides on the segment that the last two become (they and the last condensation
   * are not kept). null: all calls stay.
   */
  dropLast: Decision.nullable(),
});
export type Verdict = z.infer<typeof Verdict>;
