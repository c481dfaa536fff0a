import { z } from "zod";
import { Digest } from "./trajectory.ts";

/**
 * Share of an evaluation task's own fingerprints from which on a text is taken to hold that task. Measured (data/decontamination/README.md): runs
 * on tasks of SWE-bench Verified have 1, and 0.48 at least when every word with a slash and every name was cut out of their texts; of the 500
 * statements held against one another none has more than 0.27. This is halfway.
 */
export const telltaleShare = 0.37;

/** The evaluation task of one index that a text has most of. */
export const Overlap = z.strictObject({
  /** Name of the index. */
  list: z.string(),
  instance: z.string(),
  /** Of the fingerprints that the task has for itself, how many the text has; above 0, up to 1, rounded to 1e-6. */
  share: z.number().positive().max(1),
});
export type Overlap = z.infer<typeof Overlap>;

/** What of a trajectory belongs to sets that models are evaluated on. Each list is sorted by name of the set, which occurs once. */
export const Contamination = z.strictObject({
  /** Sets that hold the instance, by its id or by the name of the file it was found in. */
  instance: z.array(z.string()),
  /** Sets that hold its repository, by the row's own field or by the id. */
  repository: z.array(z.string()),
  /** By the words of system prompt, prompt and problem statement; none: nothing of any task is there. */
  text: z.array(Overlap),
  /** By the words of the run's patch, where an index has patches. */
  patch: z.array(Overlap),
});
export type Contamination = z.infer<typeof Contamination>;

/** How a trajectory was found to belong to an evaluation set. */
export const ContaminationKind = Contamination.keyof();
export type ContaminationKind = z.infer<typeof ContaminationKind>;

/** The filter that stops at what was found this way. */
export const contaminationFilter = (by: ContaminationKind): string => `contaminated-${by}`;

const Digests = z.record(z.string(), Digest);

/** What trajectories are held against: each set's name and the SHA-256 of its file. */
export const EvaluationDigests = z.strictObject({
  /** Of ids and repositories. */
  lists: Digests,
  /** Of fingerprints. */
  indexes: Digests,
});
export type EvaluationDigests = z.infer<typeof EvaluationDigests>;

const Count = z.int().nonnegative();

/** What became of trajectories that belong to evaluation sets. */
export const ContaminationCount = z.strictObject({
  /** Trajectories that were held against the sets. */
  looked: Count,
  /** Sorted by set, then by kind. A text or patch counts from `telltaleShare` on. `kept`: those of which any sample is kept. */
  hits: z.array(z.strictObject({ list: z.string(), by: ContaminationKind, trajectories: Count, kept: Count })),
  /** Each trajectory once, whatever sets and kinds it was found by; those found by their repository alone are on another task and do not count. */
  tasks: z.strictObject({ trajectories: Count, kept: Count }),
});
export type ContaminationCount = z.infer<typeof ContaminationCount>;

/** `catgen decontamination index --json`: a contract. */
export const IndexBuilt = z.strictObject({
  out: z.string(),
  name: z.string(),
  /** Of the file's bytes. */
  sha256: Digest,
  bytes: Count,
  rows: Count,
  instances: Count,
  /** Fields as they were taken, and the distinct fingerprints of all instances together. */
  text: z.strictObject({ fields: z.array(z.string()), fingerprints: Count, instancesWithout: Count }),
  patch: z.strictObject({ fields: z.array(z.string()), fingerprints: Count, instancesWithout: Count }).nullable(),
});
export type IndexBuilt = z.infer<typeof IndexBuilt>;
