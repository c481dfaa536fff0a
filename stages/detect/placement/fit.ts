import { keptFrom, type Problem, spanOf, stepCount } from "./problem.ts";

/**
 * What a window allows. A memory counts with its cap and a call with its longest thought, so that what fits here fits in truth
 * (DESIGN 5, invariant 5).
 */

/** Prompt of the model call before step index `step` (or of a context call at that cut) when `last` was the latest cut; 0: none yet. */
const prompt = (problem: Problem, last: number, step: number): number =>
  problem.headTokens +
  (last === 0 ? 0 : problem.callCapTokens + problem.memoryCapTokens) +
  spanOf(problem.upTo, keptFrom(problem, last), step) +
  problem.openingTokens;

const fits = ({ limits }: Problem, promptTokens: number, reply: number): boolean =>
  promptTokens + Math.max(limits.replyTokens, reply) <= limits.windowTokens;

const stepFits = (problem: Problem, last: number, step: number): boolean =>
  fits(problem, prompt(problem, last, step), problem.replies[step] ?? 0);

/** The first step index from `last` on whose call does not fit when nothing is folded after `last`; T when all fit. */
export function firstUnfit(problem: Problem, last: number): number {
  let step = last;
  while (step < stepCount(problem) && stepFits(problem, last, step)) step += 1;
  return step;
}

function condenserFits(problem: Problem, last: number, cut: number): boolean {
  const memory = last === 0 ? 0 : problem.memoryCapTokens;
  const steps = spanOf(problem.requestUpTo, keptFrom(problem, last), cut);
  const end = 1; // the token that ends the reply
  return fits(problem, problem.requestTokens + problem.headTokens + memory + steps, problem.memoryCapTokens + end);
}

/** Do the context call at `cut` and its condenser fit when `last` was the cut before? The steps between them are `firstUnfit`'s matter. */
export const callFits = (problem: Problem, last: number, cut: number): boolean =>
  keptFrom(problem, cut) > keptFrom(problem, last) &&
  fits(problem, prompt(problem, last, cut), problem.callCapTokens) &&
  condenserFits(problem, last, cut);

/** Is `cut` nearer to `last`, or its fold smaller, than asked for? */
export const isCrowded = (problem: Problem, last: number, cut: number): boolean =>
  cut - last < problem.limits.minGapSteps ||
  spanOf(problem.upTo, keptFrom(problem, last), keptFrom(problem, cut)) < problem.limits.minFoldTokens;
