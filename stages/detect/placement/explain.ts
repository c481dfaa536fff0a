import { type Costs, costsOf } from "./cost.ts";
import { type Placement, worthOf } from "./optimum.ts";
import { legalCuts, type Problem } from "./problem.ts";
import { followRule, pastOnlyRules, type Rule } from "./rules.ts";

/** Why a cut was chosen, and what the next best would have been. */
export interface CutReport {
  readonly cut: number;
  /** Without this call the steps would not fit. */
  readonly needed: boolean;
  readonly crowded: boolean;
  /** Cost without this call minus cost with it, uncached prompt tokens; negative: it costs more than it saves. */
  readonly savesTokens: number;
  /** The best other place for this one call, and how much objective it loses; null: there is none that fits as well. */
  readonly replacement: { readonly cut: number; readonly loss: number } | null;
}

function bestReplacement(problem: Problem, costs: Costs, placement: Placement, index: number): CutReport["replacement"] {
  const low = placement.cuts[index - 1] ?? 0;
  const high = placement.cuts[index + 1] ?? Number.POSITIVE_INFINITY;
  let best: CutReport["replacement"] = null;
  for (const cut of legalCuts(problem)) {
    if (cut <= low || cut >= high || cut === placement.cuts[index]) continue;
    const worth = worthOf(problem, placement.cuts.with(index, cut), costs);
    if (worth === null || worth.crowded > placement.crowded) continue;
    const loss = placement.objective - worth.objective;
    if (best === null || loss < best.loss) best = { cut, loss };
  }
  return best;
}

export function explain(problem: Problem, placement: Placement): CutReport[] {
  const costs = costsOf(problem);
  const cost = costs.total(placement.cuts);
  return placement.cuts.map((cut, index) => {
    const rest = placement.cuts.toSpliced(index, 1);
    const without = worthOf(problem, rest, costs);
    return {
      cut,
      needed: without === null,
      crowded: without !== null && without.crowded < placement.crowded,
      savesTokens: costs.total(rest) - cost,
      replacement: bestReplacement(problem, costs, placement, index),
    };
  });
}

/** How far the best rule that sees the past alone stays behind the optimum; null where no rule of the family keeps within the window as well. */
export interface Regret {
  readonly rule: Rule;
  readonly calls: number;
  readonly objective: number;
  /** >= 0, in units of the objective. */
  readonly regret: number;
}

/** `pastScores`: scores by the signals that see the past only. What hindsight alone can see cannot be learned. */
export function regretOf(problem: Problem, placement: Placement, pastScores: readonly number[]): Regret | null {
  const costs = costsOf(problem);
  let best: Regret | null = null;
  for (const rule of pastOnlyRules) {
    const cuts = followRule(problem, rule, pastScores);
    const worth = cuts === null ? null : worthOf(problem, cuts, costs);
    if (cuts === null || worth === null || worth.crowded > placement.crowded) continue;
    const regret = Math.max(0, placement.objective - worth.objective); // the last bits of sums in another order
    if (best === null || regret < best.regret) best = { rule, calls: cuts.length, objective: worth.objective, regret };
  }
  return best;
}
