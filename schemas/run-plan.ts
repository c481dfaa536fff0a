import { z } from "zod";

const Count = z.int().nonnegative();
const Amount = z.number().nonnegative();

/** `expected`: every first reply is accepted; `atMost`: every try that the recipe allows is used up, every reply as long as its limit. */
const Range = z.strictObject({ expected: Amount, atMost: Amount });

/** Calls per second while at least one call is in flight. */
export const CallRate = z.discriminatedUnion("basis", [
  z.strictObject({
    basis: z.literal("measured"),
    /** The ledger of this run; or those of other runs beside it that used the same endpoint. */
    from: z.enum(["this-run", "other-runs"]),
    calls: z.int().positive(),
    callsPerSecond: Amount,
    secondsPerCall: Amount,
    /** Calls in flight on average, while there was one. */
    inFlight: Amount,
  }),
  /**
   * Nothing was measured yet: callsPerSecond = concurrency / secondsPerCall, and secondsPerCall is a guess. `concurrency` is that of
   * `llm`, for live runs at most `generate.rollout.atOnce`.
   */
  z.strictObject({ basis: z.literal("assumed"), concurrency: z.int().positive(), callsPerSecond: Amount, secondsPerCall: Amount }),
]);
export type CallRate = z.infer<typeof CallRate>;

/** What a step will ask the model, and what that comes to. */
export const ModelPlan = z.strictObject({
  endpoint: z.strictObject({ baseUrl: z.string(), model: z.string() }),
  /** What calls are made for: blocks (3-condense) or live runs (1-generate). */
  units: z.strictObject({
    of: z.enum(["block", "live-run"]),
    missing: Count,
    /** Of the missing: answered by replies that are in the cache. */
    cached: Count,
    /** Records whose units cannot be known before an earlier step has run. */
    unknownRows: Count,
  }),
  calls: z.strictObject({
    /** Requests that are known word for word and not in the cache. */
    certain: Count,
    /** An upper bound as to the cache: what later requests say depends on replies that are not there yet. */
    expected: Count,
    atMost: Count,
  }),
  promptTokens: Range,
  replyTokens: Range,
  /** By `llm.price`; null: the price is unknown. */
  cost: Range.extend({ currency: z.string() }).nullable(),
  rate: CallRate,
  hours: Range,
  /** True when `expected` exceeds what `llm.budget` leaves: the run would stop in the middle. */
  exceedsBudget: z.boolean(),
  /** What was assumed, in sentences. */
  assumptions: z.array(z.string()),
});
export type ModelPlan = z.infer<typeof ModelPlan>;

export const StepPlan = z.strictObject({
  step: z.string(),
  name: z.string(),
  /** `toMake` null: cannot be known before the input is read, or an earlier step has run. Select and export count as one row. */
  rows: z.strictObject({ toMake: Count.nullable(), reusable: Count }),
  /** `toMake` is an upper bound: an earlier step runs first, and what comes out equal is not made anew here. */
  upperBound: z.boolean(),
  /** Earlier steps that have something to do, themselves or in this plan. */
  waitsFor: z.array(z.string()),
  /** 1-generate: files to import, and those of them that are new or changed; null elsewhere, or when there are none. */
  input: z.strictObject({ files: Count, bytes: Count, newFiles: Count, newBytes: Count }).nullable(),
  /** 1-generate: live runs; null elsewhere, or without tasks. */
  tasks: z.strictObject({ tasks: Count, wanted: Count, finished: Count, leftOut: Count }).nullable(),
  /** null: the step asks no model, or nothing is missing, or nothing can be said yet. */
  model: ModelPlan.nullable(),
});
export type StepPlan = z.infer<typeof StepPlan>;

/** `catgen run --plan --json`: a contract. */
export const RunPlan = z.strictObject({
  run: z.string(),
  /** False: there is no such run yet, and none was made. */
  exists: z.boolean(),
  condenser: z.enum(["extractive", "llm"]),
  steps: z.array(StepPlan),
});
export type RunPlan = z.infer<typeof RunPlan>;
