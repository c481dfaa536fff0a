import { z } from "zod";
import { limit, share } from "./ranges.ts";

export const PriceRecipe = z.strictObject({
  cachedInput: z
    .number()
    .nonnegative()
    .default(0.1)
    .describe("Prompt token that the endpoint has cached, in prices of an uncached one. 0.1 as in Anthropic's price list for cache reads."),
  output: z
    .number()
    .nonnegative()
    .default(5)
    .describe("Token of a reply, in prices of an uncached prompt token. 5 as in Anthropic's price list."),
  condenserInput: z.number().nonnegative().default(1).describe("Prompt token of the condenser. 1: the same backbone, nothing cached."),
  condenserOutput: z.number().nonnegative().default(5).describe("Token of a memory. 5: the same backbone."),
});
export type PriceRecipe = z.infer<typeof PriceRecipe>;

export const DetectRecipe = z.strictObject({
  weights: z
    .strictObject({
      "window-occupancy": share().default(0.46).describe("Growth: the steps so far pass another quarter of the window."),
      "sustained-growth": share().default(0.46).describe("Growth: every recent step brings more than Table 1's pace."),
      "falling-utilisation": share().default(0.43).describe("Growth: recent turns hardly draw on what is visible any more."),
      "subtask-completed": share()
        .default(0.76)
        .describe("Boundary: a piece of work is done: checks pass after a change, an item is ticked off, scripts are tidied away."),
      "phase-change": share()
        .default(0.9)
        .describe("Boundary: the next step begins another phase (explore, reproduce, edit, test, submit). Hindsight."),
      "working-set-change": share().default(0.6).describe("Boundary: the next steps work on other files and folders. Hindsight."),
      milestone: share().default(1).describe("Boundary: bug reproduced, first change, tests turn green, commit."),
      "plan-step": share().default(0.92).describe("Boundary: the next turn says that it begins another step of its plan. Hindsight."),
      "repeated-failures": share().default(0.6).describe("Error correction: the same failure again, or the third in a row."),
      loop: share().default(0.6).describe("Error correction: the same turns with the same answers, again and again."),
      "direction-change": share()
        .default(0.6)
        .describe("Error correction: after failures the next step takes another file, kind of command or hypothesis. Hindsight."),
    })
    .prefault({})
    .describe(
      "Weight of each signal, 0 (off) .. 1. A cut's score is the largest weighted signal. Families from CAT 2.4 (1); the weights are how often readers marked a boundary where the signal speaks (mean of the same step and one step to either side), against the best signal (data/labels). Hindsight: the signal sees the next steps.",
    ),
  callPrice: share()
    .default(0.55)
    .describe(
      "tau: what a context call costs beside tokens, in units of score, 0..1. Cuts that score less are made only for window or cost. 0.55 with lambda 1 makes 5.3 calls per 100 steps and a fold ratio of 32 % on 23 public runs of 40 steps or more; Table 1 has 4.83 and 30 % (notebooks/LOG.md).",
    ),
  costWeight: z
    .number()
    .nonnegative()
    .default(1)
    .describe(
      "lambda: weight of inference cost against scores. The objective is sum(score - tau) - lambda x cost / cost without any call.",
    ),
  prices: PriceRecipe.prefault({}).describe("Prices by which cost is reckoned; uncached prompt token = 1."),
  minGapSteps: z
    .int()
    .min(1)
    .default(8)
    .describe(
      "Steps between two context calls, at least, unless nothing else fits. Half of CAT's mean distance: Table 1 gives 87.4 steps / 5.22 segments = 16.7.",
    ),
  minFoldTokens: z
    .int()
    .min(1)
    .default(2_000)
    .describe("Tokens a fold must hold to be worth a call, unless nothing else fits. Our choice; Table 1's mean fold is 15,585."),
  maxCalls: limit(z.int().min(1)).default(26).describe("Context calls per trajectory, at most. Table 1: max 26. null: no bound."),
});
export type DetectRecipe = z.infer<typeof DetectRecipe>;
