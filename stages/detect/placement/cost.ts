import { keptFrom, type Problem, spanOf, stepCount } from "./problem.ts";

/**
 * What inference pays, in units of the price of one uncached prompt token. Additive over pairs of neighbouring cuts: an interval's cost
 * depends on its two ends alone, since m(a) does.
 */
export interface Costs {
  /** From the first call after `from` (0: the start) up to and with the context call and the condenser at `to`; T: the end, without either. */
  interval(from: number, to: number): number;
  /** The whole trajectory with calls at these cuts, ascending. */
  total(cuts: readonly number[]): number;
}

const prefixSums = (values: readonly number[]): number[] => {
  const sums = [0];
  for (const value of values) sums.push((sums.at(-1) ?? 0) + value);
  return sums;
};

/**
 * A call's prompt is cached as far as the call before it has sent the same; a fold leaves system prompt and task of that and nothing more
 * (prefix caches: vLLM automatic prefix caching, the providers' prompt caching). Replies are paid as output, and as uncached prompt when
 * they are sent for the first time. O(1) per interval after O(T).
 */
export function costsOf(problem: Problem): Costs {
  const steps = stepCount(problem);
  const { prices } = problem.terms;
  const sumUpTo = prefixSums(problem.upTo);
  const sumReplies = prefixSums(problem.replies);
  const memory = (cut: number): number => (cut === 0 ? 0 : (problem.memoryTokens[cut] ?? 0));
  const prefix = (cut: number): number =>
    problem.headTokens +
    problem.openingTokens +
    (cut === 0 ? 0 : problem.callTokens + memory(cut)) -
    (problem.upTo[keptFrom(problem, cut)] ?? 0);

  const condenser = (from: number, to: number): number => {
    const request = problem.requestTokens + problem.headTokens + memory(from) + spanOf(problem.requestUpTo, keptFrom(problem, from), to);
    return request * prices.condenserInput + memory(to) * prices.condenserOutput;
  };

  const interval = (from: number, to: number): number => {
    const called = to < steps;
    const last = called ? to : steps - 1; // the context call is one more prompt
    const calls = last - from + 1;
    const prompts = calls * prefix(from) + spanOf(sumUpTo, from, last + 1);
    const first = prefix(from) + (problem.upTo[from] ?? 0) - (from === 0 ? 0 : problem.headTokens);
    const uncached = first + spanOf(problem.upTo, from, last);
    const output = spanOf(sumReplies, from, to) + (called ? problem.callTokens : 0);
    return (prompts - uncached) * prices.cachedInput + uncached + output * prices.output + (called ? condenser(from, to) : 0);
  };
  return {
    interval,
    total: (cuts) => {
      let sum = 0;
      let from = 0;
      for (const to of [...cuts, steps]) {
        sum += interval(from, to);
        from = to;
      }
      return sum;
    },
  };
}
