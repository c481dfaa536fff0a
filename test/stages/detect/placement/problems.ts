import fc from "fast-check";
import { PriceRecipe } from "../../../../schemas/recipe/detect.ts";
import type { Limits, Problem, Terms } from "../../../../stages/detect/placement/problem.ts";

/** Placement problems by hand and by chance, and a second opinion on them that adds nothing up in advance. */

const sums = (values: readonly number[]): number[] => {
  const upTo = [0];
  for (const value of values) upTo.push((upTo.at(-1) ?? 0) + value);
  return upTo;
};

export interface Setting {
  readonly steps: readonly number[];
  readonly replies?: readonly number[];
  readonly scores?: Readonly<Record<number, number>>;
  readonly limits?: Partial<Limits>;
  readonly terms?: Partial<Terms>;
  readonly memoryCapTokens?: number;
  readonly memoryShare?: number;
}

export function problem({
  steps,
  replies,
  scores = {},
  limits = {},
  terms = {},
  memoryCapTokens = 100,
  memoryShare = 0.2,
}: Setting): Problem {
  const upTo = sums(steps);
  const own: Limits = {
    windowTokens: 100_000,
    replyTokens: 50,
    keepSteps: 2,
    minGapSteps: 3,
    minFoldTokens: 1,
    maxCalls: null,
    ...limits,
  };
  return {
    upTo,
    headTokens: 100,
    openingTokens: 3,
    replies: replies ?? steps.map(() => 6),
    requestUpTo: sums(steps.map((tokens) => tokens + 16)),
    requestTokens: 40,
    scores: steps.map((_, cut) => scores[cut] ?? 0),
    memoryTokens: steps.map((_, cut) =>
      Math.min(memoryCapTokens, Math.round(10 + memoryShare * (upTo[Math.max(0, cut - own.keepSteps)] ?? 0))),
    ),
    memoryCapTokens,
    callCapTokens: 20,
    callTokens: 12,
    limits: own,
    terms: { callPrice: 0.5, costWeight: 0, prices: PriceRecipe.parse({}), ...terms },
  };
}

export const equal = (count: number, tokens = 50): number[] => Array.from({ length: count }, () => tokens);

/** The same trajectory, as it was after this many steps. */
export const shorter = (own: Problem, steps: number): Problem => ({
  ...own,
  upTo: own.upTo.slice(0, steps + 1),
  requestUpTo: own.requestUpTo.slice(0, steps + 1),
  replies: own.replies.slice(0, steps),
  scores: own.scores.slice(0, steps),
  memoryTokens: own.memoryTokens.slice(0, steps),
});

/** Steps of a call's view, one by one: the last cut's memory, the kept steps, and what came since. */
function shown(own: Problem, last: number, step: number): number {
  let tokens = 0;
  for (let at = last === 0 ? 0 : last - own.limits.keepSteps; at < step; at += 1) tokens += (own.upTo[at + 1] ?? 0) - (own.upTo[at] ?? 0);
  return tokens;
}

/** Judged from the definitions, call by call. null: breaks the window, a fold without a step, or too many calls. */
export function slowWorth(own: Problem, cuts: readonly number[]): { crowded: number; objective: number; cost: number } | null {
  const { limits, terms } = own;
  const steps = own.replies.length;
  if (limits.maxCalls !== null && cuts.length > limits.maxCalls) return null;
  const cost = slowCost(own, cuts);
  let crowded = 0;
  let value = 0;
  let last = 0;
  for (let step = 0; step < steps; step += 1) {
    const block = (cap: boolean): number => (last === 0 ? 0 : cap ? own.callCapTokens + own.memoryCapTokens : 0);
    if (cuts.includes(step)) {
      const from = last === 0 ? 0 : last - limits.keepSteps;
      const kept = step - limits.keepSteps;
      if (kept <= from) return null;
      const prompt = own.headTokens + block(true) + shown(own, last, step) + own.openingTokens;
      if (prompt + Math.max(limits.replyTokens, own.callCapTokens) > limits.windowTokens) return null;
      const request =
        own.requestTokens +
        own.headTokens +
        (last === 0 ? 0 : own.memoryCapTokens) +
        (own.requestUpTo[step] ?? 0) -
        (own.requestUpTo[from] ?? 0);
      if (request + Math.max(limits.replyTokens, own.memoryCapTokens + 1) > limits.windowTokens) return null;
      if (step - last < limits.minGapSteps || (own.upTo[kept] ?? 0) - (own.upTo[from] ?? 0) < limits.minFoldTokens) crowded += 1;
      value += (own.scores[step] ?? 0) - terms.callPrice;
      last = step;
    }
    const prompt = own.headTokens + block(true) + shown(own, last, step) + own.openingTokens;
    if (prompt + Math.max(limits.replyTokens, own.replies[step] ?? 0) > limits.windowTokens) return null;
  }
  return { crowded, objective: value - (terms.costWeight * cost) / Math.max(1, slowCost(own, [])), cost };
}

/** Every model call's price, one after the other. */
export function slowCost(own: Problem, cuts: readonly number[]): number {
  const { prices } = own.terms;
  let total = 0;
  let last = 0;
  let sent = 0; // tokens of the call before that this one begins with
  const ask = (step: number, output: number): void => {
    const prompt =
      own.headTokens + (last === 0 ? 0 : own.callTokens + (own.memoryTokens[last] ?? 0)) + shown(own, last, step) + own.openingTokens;
    total += sent * prices.cachedInput + (prompt - sent) + output * prices.output;
    sent = prompt;
  };
  for (let step = 0; step < own.replies.length; step += 1) {
    if (cuts.includes(step)) {
      ask(step, own.callTokens);
      const from = last === 0 ? 0 : last - own.limits.keepSteps;
      const request =
        own.requestTokens +
        own.headTokens +
        (last === 0 ? 0 : (own.memoryTokens[last] ?? 0)) +
        (own.requestUpTo[step] ?? 0) -
        (own.requestUpTo[from] ?? 0);
      total += request * prices.condenserInput + (own.memoryTokens[step] ?? 0) * prices.condenserOutput;
      last = step;
      sent = own.headTokens;
    }
    ask(step, own.replies[step] ?? 0);
  }
  return total;
}

/** Small enough for every subset of cuts to be tried; windows, gaps, folds and bounds all bind in some. */
export const arbitraryProblem: fc.Arbitrary<Problem> = fc
  .record({
    steps: fc.array(fc.integer({ min: 20, max: 160 }), { minLength: 1, maxLength: 12 }),
    replies: fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 12, maxLength: 12 }),
    scores: fc.array(fc.constantFrom(0, 0, 0.2, 0.5, 0.8, 1), { minLength: 12, maxLength: 12 }),
    windowTokens: fc.oneof(fc.integer({ min: 500, max: 1_500 }), fc.constant(100_000)),
    replyTokens: fc.integer({ min: 1, max: 60 }),
    keepSteps: fc.nat(3),
    minGapSteps: fc.integer({ min: 1, max: 6 }),
    minFoldTokens: fc.constantFrom(1, 100, 250),
    maxCalls: fc.constantFrom(null, 1, 1, 2),
    memoryCapTokens: fc.integer({ min: 20, max: 150 }),
    callPrice: fc.constantFrom(0, 0.3, 0.6),
    costWeight: fc.constantFrom(0, 0.5, 2, 10),
    prices: fc.record({
      cachedInput: fc.constantFrom(0, 0.1, 1),
      output: fc.constantFrom(1, 5),
      condenserInput: fc.constantFrom(0, 1),
      condenserOutput: fc.constantFrom(1, 5),
    }),
  })
  .map((draw) =>
    problem({
      steps: draw.steps,
      replies: draw.replies.slice(0, draw.steps.length),
      scores: Object.fromEntries(draw.scores.entries()),
      limits: {
        windowTokens: draw.windowTokens,
        replyTokens: draw.replyTokens,
        keepSteps: draw.keepSteps,
        minGapSteps: draw.minGapSteps,
        minFoldTokens: draw.minFoldTokens,
        maxCalls: draw.maxCalls,
      },
      terms: { callPrice: draw.callPrice, costWeight: draw.costWeight, prices: draw.prices },
      memoryCapTokens: draw.memoryCapTokens,
    }),
  );

/** All sets of cuts that leave a step to fold and a step to go on with, ascending. */
export function* allPlacements(own: Problem): Generator<number[]> {
  const cuts = Array.from(
    { length: Math.max(0, own.replies.length - own.limits.keepSteps - 1) },
    (_, index) => own.limits.keepSteps + 1 + index,
  );
  for (let bits = 0; bits < 2 ** cuts.length; bits += 1) yield cuts.filter((_, index) => (bits >> index) & 1);
}
