import type { Phase, StepFacts } from "../facts.ts";
import { nothing, type WholeSignal } from "./signal.ts";

/** Steps in one phase that make it a stretch of work rather than a glance. Our choice. */
const stretch = 3;

/** Consecutive steps of one phase; steps that say nothing about it belong to the stretch before them. */
interface Stretch {
  readonly phase: Phase;
  /** Counted from 1. */
  readonly first: number;
  last: number;
  steps: number;
}

function stretchesOf(steps: readonly StepFacts[]): Stretch[] {
  const stretches: Stretch[] = [];
  for (const { number, phase } of steps) {
    const now = stretches.at(-1);
    if (phase === null) {
      if (now !== undefined) now.last = number;
    } else if (now?.phase === phase) {
      now.last = number;
      now.steps += 1;
    } else stretches.push({ phase, first: number, last: number, steps: 1 });
  }
  return stretches;
}

const told = ({ phase, first, last }: Stretch): string =>
  first === last ? `step ${first}: ${phase}` : `steps ${first} to ${last}: ${phase}`;

/** A phase that the run enters for the first time counts most; coming back to one counts when both sides are stretches of work. */
function scoreOf(before: Stretch, after: Stretch, isFirst: boolean): number {
  if (isFirst) return 0.5 + 0.1 * (Math.min(before.steps, stretch) + Math.min(after.steps, 2));
  return before.steps >= stretch && after.steps >= 2 ? 0.6 : 0;
}

/**
 * The next step begins another phase (explore, reproduce, edit, test, submit). 0.7 to 1 when the run enters that phase for the first time,
 * the more the longer the phases on both sides are; 0.6 when it comes back to one after at least three steps of another and stays for two; else
 * 0. Needs hindsight, since only the first step of a phase tells that it begins. Source: CAT 2.4 (1), structural boundaries; CAT 1, "stage
 * boundaries".
 */
export const phaseChange: WholeSignal = {
  family: "boundary",
  sees: "whole",
  survey: (_setting, steps) => {
    const found = new Map<number, { score: number; evidence: string[] }>();
    const entered = new Set<Phase>();
    const stretches = stretchesOf(steps);
    for (const [index, after] of stretches.entries()) {
      const before = stretches[index - 1];
      const isFirst = !entered.has(after.phase);
      entered.add(after.phase);
      const score = before === undefined ? 0 : scoreOf(before, after, isFirst);
      if (before !== undefined && score > 0) found.set(after.first - 1, { score, evidence: [told(before), `then ${told(after)}`] });
    }
    return (cut) => found.get(cut) ?? nothing;
  },
};
