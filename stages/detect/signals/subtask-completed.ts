import { checkFollower, isCounted } from "../checked.ts";
import { at, deedLine, quoted, someOf } from "../evidence.ts";
import type { StepFacts } from "../facts.ts";
import { ticksOf } from "../ticks.ts";
import { nothing, type PastSignal, type Said } from "./signal.ts";

/** Passing checks close a cycle of editing and checking. */
function cycleClosed(follow: ReturnType<typeof checkFollower>, facts: StepFacts): Said {
  const { passes, edit, failedBefore } = follow(facts);
  if (passes === null || edit === null) return nothing;
  const evidence = [deedLine(passes), `${at(edit)} changes ${someOf(facts.number === edit.number ? facts.sources : edit.action.files)}`];
  if (failedBefore !== null) return { score: isCounted(passes) ? 1 : 0.9, evidence: [...evidence, deedLine(failedBefore)] };
  return { score: isCounted(passes) ? 0.8 : 0.6, evidence };
}

/** The agent's own scripts are removed again, and nothing else changes. */
function tidiedUp({ number, actions, phase }: StepFacts): Said {
  const action = actions.find((one) => one.removes.length > 0 && !one.failed);
  if (phase !== "submit" || action === undefined || actions.some((one) => one.kind === "submit")) return nothing;
  return { score: 0.6, evidence: [`step ${number} removes ${someOf(action.removes)} and changes nothing else`] };
}

/** Items of the agent's to-do list that this step marks as done. */
function tickedOff(done: Set<string>, { number, step }: StepFacts): Said {
  const fresh = ticksOf(step).filter((item) => !done.has(item));
  for (const item of fresh) done.add(item);
  return fresh.length === 0
    ? nothing
    : { score: 0.9, evidence: fresh.slice(0, 3).map((item) => `step ${number} marks as done: ${quoted(item)}`) };
}

/**
 * A piece of work was finished by this step. 1: tests pass that had failed, with a change of the sources in between (0.9 for a script);
 * 0.8: tests pass for the first time after a change (0.6 for a script); 0.9: an item of the to-do list is marked as done; 0.6: the agent's
 * own scripts are removed; else 0. Source: CAT 2.4 (1), "subtask completion".
 */
export const subtaskCompleted: PastSignal = {
  family: "boundary",
  sees: "past",
  watch: () => {
    const follow = checkFollower();
    const done = new Set<string>();
    return (facts) => {
      const found = [cycleClosed(follow, facts), tidiedUp(facts), tickedOff(done, facts)];
      return found.reduce((most, one) => (one.score > most.score ? one : most));
    };
  },
};
