import { callFits, firstUnfit, isCrowded } from "./fit.ts";
import { keptFrom, legalCuts, type Problem, spanOf, stepCount } from "./problem.ts";

/**
 * When to call without knowing what comes: as an agent that follows it would, from left to right. A call is due when one of the
 * conditions holds at a cut that is not crowded; none holds where all are null.
 */
export interface Rule {
  /** Score of the cut, 0..1. */
  readonly minScore: number | null;
  /** Share of the window that the next prompt would take, 0..1. */
  readonly occupancy: number | null;
  /** Steps since the last call. */
  readonly everySteps: number | null;
  /** Tokens since the last call. */
  readonly everyTokens: number | null;
}

export const noRule: Rule = { minScore: null, occupancy: null, everySteps: null, everyTokens: null };

const reaches = (value: number, limit: number | null): boolean => limit !== null && value >= limit;

function due(problem: Problem, rule: Rule, scores: readonly number[], last: number, cut: number): boolean {
  const prompt =
    problem.headTokens +
    (last === 0 ? 0 : problem.callTokens + (problem.memoryTokens[last] ?? 0)) +
    spanOf(problem.upTo, keptFrom(problem, last), cut);
  return (
    reaches(scores[cut] ?? 0, rule.minScore) ||
    reaches(prompt / problem.limits.windowTokens, rule.occupancy) ||
    reaches(cut - last, rule.everySteps) ||
    reaches(spanOf(problem.upTo, last, cut), rule.everyTokens)
  );
}

/**
 * The cuts that a rule makes; null where it lets the window overflow. Calls that are due but crowded, do not fit, or exceed the bound on
 * calls are not made. `scores` may hold less than the problem's: a past-only rule gets past-only scores.
 */
export function followRule(problem: Problem, rule: Rule, scores: readonly number[] = problem.scores): number[] | null {
  const cuts: number[] = [];
  let last = 0;
  for (const cut of legalCuts(problem)) {
    if (cuts.length === (problem.limits.maxCalls ?? Number.POSITIVE_INFINITY)) break;
    if (isCrowded(problem, last, cut) || !due(problem, rule, scores, last, cut)) continue;
    if (firstUnfit(problem, last) < cut || !callFits(problem, last, cut)) continue;
    cuts.push(cut);
    last = cut;
  }
  let from = 0;
  for (const to of [...cuts, stepCount(problem)]) {
    if (firstUnfit(problem, from) < to) return null;
    from = to;
  }
  return cuts;
}

/** The family that regret is stated against: a score to reach, or a share of the window, or both. 10 x 6 rules; steps of 0.1 are our choice. */
const scoreLimits = [null, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9] as const;
const occupancies = [null, 0.5, 0.6, 0.7, 0.8, 0.9] as const;
export const pastOnlyRules: readonly Rule[] = scoreLimits.flatMap((minScore) =>
  occupancies.map((occupancy) => ({ ...noRule, minScore, occupancy })),
);
