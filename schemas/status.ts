import { z } from "zod";
import { Quarantined } from "./inputs.ts";
import { LeftOut, RolloutsFile } from "./rollouts.ts";

const Count = z.int().nonnegative();

/** `catgen status --json`: a contract (DESIGN 6). */
export const Status = z.strictObject({
  run: z.string(),
  /** The verdict set that judge and export speak of, `default` for the one without a name; and all that have a name. */
  verdict: z.string(),
  verdicts: z.array(z.string()),
  shards: z.int().positive(),
  stages: z.array(
    z.strictObject({
      stage: z.string(),
      name: z.string(),
      rows: z.strictObject({ in: Count, out: Count, rejected: z.record(z.string(), Count), quarantined: Count, failed: Count }),
      shardsDone: Count,
      shardsMissing: Count,
      shardsStale: Count,
    }),
  ),
  inputs: z.strictObject({
    files: Count,
    imported: Count,
    joined: Count,
    partOf: Count,
    empty: Count,
    refused: z.array(z.strictObject({ file: z.string(), why: z.string() })),
    quarantined: z.array(Quarantined),
    trajectories: Count,
    byDialect: z.record(z.string(), Count),
  }),
  /** Live runs; null: the run has none. */
  rollouts: z
    .strictObject({
      tasks: Count,
      wanted: Count,
      finished: Count,
      resolved: Count,
      unresolved: Count,
      byExit: z.record(z.string(), Count),
      leftOut: z.array(LeftOut),
      failed: RolloutsFile.shape.failed,
    })
    .nullable(),
  spent: z.strictObject({
    calls: Count,
    cached: Count,
    tokensIn: Count,
    tokensOut: Count,
    cost: z.strictObject({ amount: z.number().nonnegative(), currency: z.string() }).nullable(),
  }),
});
export type Status = z.infer<typeof Status>;
