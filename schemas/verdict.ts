import { z } from "zod";

/** One filter that fails: the value it saw and the limit it holds against it. */
export const Failure = z.strictObject({
  filter: z.string(),
  value: z.union([z.number(), z.string(), z.boolean(), z.null()]),
  limit: z.union([z.number(), z.string(), z.boolean(), z.null()]),
});
export type Failure = z.infer<typeof Failure>;

/** `keep` counts what stands above it too; `failed` names only its own failures, all of them. */
export const Decision = z.strictObject({ keep: z.boolean(), failed: z.array(Failure) });
export type Decision = z.infer<typeof Decision>;

/**
 * Stage 5b. `trajectory` rules over everything; `context` (the context management as a whole) over segments and condensations;
 * the lists run parallel to `Workspace`.
 */
export const Verdict = z.strictObject({
  trajectory: Decision,
  context: Decision,
  segments: z.array(Decision),
  condensations: z.array(Decision),
  base: Decision,
});
export type Verdict = z.infer<typeof Verdict>;
