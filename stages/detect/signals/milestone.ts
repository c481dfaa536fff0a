import { failsForSurroundings, isCheck } from "../../lib/commands/actions.ts";
import { checkFollower, isCounted } from "../checked.ts";
import { at, deedLine, someOf } from "../evidence.ts";
import type { StepFacts } from "../facts.ts";
import { nothing, type PastSignal, type Said } from "./signal.ts";

/** Looks around before a first edit or a reproduction that make it an end of exploring. Our choice. */
const enoughLooks = 3;

/** The first check that fails before any change of the sources, and not for want of a module; a passing one may have shown the bug, too. */
function reproduced({ number, actions, phase }: StepFacts, earlier: number): Said {
  if (phase !== "reproduce" || earlier >= 0.9) return nothing;
  const action = actions.find((one) => isCheck(one) && !failsForSurroundings(one));
  if (action === undefined || (action.failed && action.error === null)) return nothing;
  if (action.failed)
    return { score: 0.9, evidence: [`${deedLine({ number, action })}: the first check that fails, before any change of the sources`] };
  if (earlier > 0 || action.runs.length === 0) return nothing;
  return { score: 0.6, evidence: [`${at({ number, action })} runs without an error: the first check, before any change of the sources`] };
}

function firstEdit({ number, change, sources }: StepFacts, looks: number): Said {
  if (change === null || looks < enoughLooks) return nothing;
  const line = at({ number, action: change });
  return { score: 0.5, evidence: [`${line} is the first change of the sources (${someOf(sources)}), after ${looks} looks around`] };
}

function turnsGreen(follow: ReturnType<typeof checkFollower>, facts: StepFacts): Said {
  const { passes, failedBefore } = follow(facts);
  if (passes === null || failedBefore === null || !isCounted(passes)) return nothing;
  return { score: 1, evidence: [`${deedLine(passes)}: green`, `${deedLine(failedBefore)}: it was red`] };
}

function committed({ number, actions }: StepFacts): Said {
  const action = actions.find((one) => one.commits && !one.failed);
  return action === undefined ? nothing : { score: 0.9, evidence: [`${at({ number, action })} commits the work so far`] };
}

/**
 * A point that most runs pass once. 1: tests that had failed pass, with a change of the sources in between; 0.9: the bug is reproduced (a
 * check fails before any change), or a commit; 0.6: the first check before any change runs without an error, which may have shown the bug
 * all the same; 0.5: the first change of the sources after three looks around; else 0. Source: CAT 2.4 (1), "intermediate milestones".
 */
export const milestone: PastSignal = {
  family: "boundary",
  sees: "past",
  watch: () => {
    const follow = checkFollower();
    let looks = 0;
    let edited = false;
    let checked = 0;
    return (facts) => {
      const red = edited ? nothing : reproduced(facts, checked);
      const first = edited ? nothing : firstEdit(facts, looks);
      const found = [turnsGreen(follow, facts), committed(facts), red, first];
      checked = Math.max(checked, red.score);
      edited ||= facts.change !== null;
      looks += facts.actions.filter((action) => action.kind === "explore").length;
      return found.reduce((most, one) => (one.score > most.score ? one : most));
    };
  },
};
