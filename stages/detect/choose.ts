import type { DetectRecipe, WindowRecipe } from "../../schemas/recipe.ts";
import type { Candidate, InsertionPoint } from "../../schemas/sidecars.ts";
import { replyTokens, type Sizes, spanTokens } from "../lib/sizes.ts";
import { type Outcome, ok, rejected } from "../stage.ts";

export interface ChooseInput {
  readonly sizes: Sizes;
  /** Tokens of the reply in each step's assistant message. */
  readonly replies: readonly number[];
  readonly candidates: readonly Candidate[];
  readonly window: WindowRecipe;
  readonly detect: DetectRecipe;
  readonly memoryCapTokens: number;
  /** Tokens of the context call with its longest thought, and of the wrapping around a memory. */
  readonly callTokens: number;
  /** Tokens of a condenser request without task, memory and steps. */
  readonly requestTokens: number;
  /** Prefix sums of what steps take in a condenser request, where calls are written plainly. */
  readonly requestStepTokens: readonly number[];
}

interface Placed {
  readonly cut: number;
  readonly keptFrom: number;
}
const start: Placed = { cut: 0, keptFrom: 0 };

/** Prompt of the call at step index `step` when `last` was the latest context call. Memory counts with its cap, so that what fits here fits in truth. */
function prompt(input: ChooseInput, last: Placed, step: number): number {
  const memory = last.cut === 0 ? 0 : input.callTokens + input.memoryCapTokens;
  return input.sizes.head + memory + spanTokens(input.sizes, last.keptFrom, step) + input.sizes.opening;
}

const fits = (input: ChooseInput, promptTokens: number, reply: number): boolean =>
  promptTokens + Math.max(input.window.replyTokens, reply) <= input.window.tokens;

function condenserFits(input: ChooseInput, last: Placed, cut: number): boolean {
  const memory = last.cut === 0 ? 0 : input.memoryCapTokens;
  const steps = (input.requestStepTokens[cut] ?? 0) - (input.requestStepTokens[last.keptFrom] ?? 0);
  return fits(input, input.requestTokens + input.sizes.head + memory + steps, input.memoryCapTokens + 1); // 1: the token that ends it
}

/** Is a context call at `cut` after `last` possible, and (unless `relaxed`) also far enough and large enough? */
function allowed(input: ChooseInput, last: Placed, cut: number, relaxed: boolean): boolean {
  const keptFrom = cut - input.window.keepSteps;
  if (keptFrom <= last.keptFrom || !condenserFits(input, last, cut)) return false;
  if (!fits(input, prompt(input, last, cut), input.callTokens)) return false;
  if (relaxed) return true;
  return cut - last.cut >= input.detect.minGapSteps && spanTokens(input.sizes, last.keptFrom, keptFrom) >= input.detect.minFoldTokens;
}

const stepFits = (input: ChooseInput, last: Placed, step: number): boolean =>
  fits(input, prompt(input, last, step), input.replies[step] ?? 0);

const placed = (input: ChooseInput, cut: number): Placed => ({ cut, keptFrom: cut - input.window.keepSteps });

/** Do all steps from the cut up to index `until` fit after it? */
function stepsFit(input: ChooseInput, after: Placed, until: number): boolean {
  for (let step = after.cut; step <= until; step += 1) if (!stepFits(input, after, step)) return false;
  return true;
}

/** The best cut in (last, before] after which step `before` fits: highest score, then the latest. */
function forced(input: ChooseInput, scores: ReadonlyMap<number, number>, last: Placed, before: number): number | null {
  for (const relaxed of [false, true]) {
    let best: number | null = null;
    for (let cut = last.cut + 1; cut <= before; cut += 1) {
      if (!allowed(input, last, cut, relaxed)) continue;
      if (!stepsFit(input, placed(input, cut), before)) continue;
      if (best === null || (scores.get(cut) ?? 0) >= (scores.get(best) ?? 0)) best = cut;
    }
    if (best !== null) return best;
  }
  return null;
}

/** From left to right: a cut is taken when it is asked for, or when the next step would not fit the window otherwise. */
function leftToRight(input: ChooseInput, scores: ReadonlyMap<number, number>, minScore: number): InsertionPoint[] | null {
  const points: InsertionPoint[] = [];
  let last = start;
  const take = (cut: number, reason: InsertionPoint["reason"]): void => {
    last = placed(input, cut);
    points.push({ ...last, reason });
  };
  const asked = (step: number): boolean =>
    (scores.get(step) ?? 0) >= minScore && allowed(input, last, step, false) && stepFits(input, placed(input, step), step);
  const room = (): boolean => input.detect.maxCalls === null || points.length < input.detect.maxCalls;
  for (let step = 0; step < input.replies.length; step += 1) {
    if (step > 0 && room() && asked(step)) take(step, "signals");
    while (!stepFits(input, last, step)) {
      const cut = room() ? forced(input, scores, last, step) : null;
      if (cut === null) return null;
      take(cut, "window");
    }
  }
  return points;
}

/**
 * Chooses insertion points: cuts whose score reaches `minScore` with gap and fold large enough, and cuts that are needed to fit (then the
 * best-scoring one that makes it fit). Where early cuts of choice leave no room for needed ones, only those are taken; rejects when even
 * they do not make it fit.
 */
export function choose(input: ChooseInput): Outcome<InsertionPoint[]> {
  const scores = new Map(input.candidates.map((candidate) => [candidate.cut, candidate.score]));
  const points = leftToRight(input, scores, input.detect.minScore) ?? leftToRight(input, scores, Number.POSITIVE_INFINITY);
  return points === null ? rejected("window-exceeded") : ok(points);
}

/** Reply sizes for `ChooseInput`. */
export const replySizes = (sizes: Sizes, count: (text: string) => number): number[] =>
  sizes.assistant.map((tokens) => replyTokens(tokens, count));
