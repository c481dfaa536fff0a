import { type Action, checkOf, isCheck } from "../../lib/commands/actions.ts";
import { fileSet } from "../../lib/commands/files.ts";
import { at, type Deed, quoted } from "../evidence.ts";
import { changedFiles, type StepFacts } from "../facts.ts";
import { failureFollower, failureLine } from "../failures.ts";
import { nothing, type Said, type WholeSignal } from "./signal.ts";

/** Failures that must have come before. Source: prior-systems 5, open point 16. */
const enoughFailures = 2;
/** Steps in which the old failure must not come back for the new direction to be a feasible one. Our choice. */
const feasibleFor = 5;
/** Steps after the last failure in which a new direction still answers it. Our choice. */
const answersWithin = 3;

const rethinks =
  /\b(?:(?:a |an )?(?:different|another|new|alternative|better|simpler|more direct) (?:approach|way|method|strategy|idea|direction|solution|angle)|alternatively|instead of|let me (?:try|take) (?:a|another|something)|(?:doesn't|does not|didn't|did not|isn't|is not|won't) work|step back|start over|go back|rethink|reconsider|I (?:was|made a) (?:wrong|mistake)|the (?:real|actual|root) (?:issue|problem|cause)|workaround|without running|give up on)\b/i;

const base = (word: string): string => word.slice(word.lastIndexOf("/") + 1);
/** What kind of attempt it is: the program and its verb, `python a.py` and `python b.py` alike; edits are one class. */
const classOf = (action: Action): string =>
  action.kind === "edit"
    ? "edit"
    : checkOf(action)
        .split(" ")
        .slice(0, 2)
        .map(base)
        .join(" ")
        .replace(/ \S*\.\w+$/, "");

/** Files that a step changes or runs; a script that only carries a change is none of them. */
const placesOf = (step: StepFacts): readonly string[] => [
  ...changedFiles(step),
  ...step.actions.filter((action) => action !== step.change || action.tests).flatMap((action) => action.runs),
];

/** Everything that the row of failures, and the steps in it, has tried. */
interface Tried {
  readonly classes: ReadonlySet<string>;
  readonly touches: (file: string) => boolean;
}
function triedIn(steps: readonly StepFacts[]): Tried {
  const files = fileSet();
  const classes = new Set<string>();
  for (const step of steps) {
    for (const file of placesOf(step)) files.add(file);
    for (const action of step.actions) if (isCheck(action) || action.kind === "edit" || action.installs) classes.add(classOf(action));
  }
  return { classes, touches: files.has };
}

/** How the next turn differs from what was tried: another file is changed or run, or another class of command, or it says so. */
function differences(next: StepFacts, tried: Tried): string[] {
  const attempts = next.actions.filter((action) => isCheck(action) || action.kind === "edit" || action.installs);
  const fresh = placesOf(next);
  const words = rethinks.exec(next.said.slice(0, 1_500))?.[0];
  return [
    ...(fresh.length > 0 && !fresh.some(tried.touches) ? [`step ${next.number} turns to ${fresh[0]}`] : []),
    ...attempts
      .filter((action) => !tried.classes.has(classOf(action)))
      .slice(0, 1)
      .map((action) => `${at({ number: next.number, action })} is another kind of attempt`),
    ...(words === undefined ? [] : [`step ${next.number} says: ${quoted(words)}`]),
  ];
}

/** Does the failure stay away? Nothing has failed with its signature in the next steps. */
function staysAway(failure: Deed, ahead: readonly StepFacts[]): boolean {
  const { signature } = failure.action;
  return signature !== null && !ahead.some(({ actions }) => actions.some((action) => action.signature === signature));
}

function judged(row: readonly Deed[], next: StepFacts, steps: readonly StepFacts[]): Said {
  const [oldest] = row;
  const newest = row.at(-1);
  if (oldest === undefined || newest === undefined || row.length < enoughFailures || next.number - newest.number > answersWithin)
    return nothing;
  const different = differences(next, triedIn(steps.slice(oldest.number - 1, next.number - 1)));
  if (different.length === 0) return nothing;
  const away = staysAway(newest, steps.slice(next.number - 1, next.number - 1 + feasibleFor));
  const score = Math.min(1, 0.4 + 0.2 * different.length + (away ? 0.2 : 0));
  const ends = away ? ["the failure does not come back in the next steps"] : [];
  return { score, evidence: [...row.slice(-3).map(failureLine), ...different, ...ends] };
}

/**
 * After failures in a row the next step takes a new direction: another file, another class of command, or other words about what is wrong;
 * the cut lies before it. 0.6 for one of the three, 0.8 for two, 1 for all; + 0.2 when the failure stays away for the next five steps, which
 * makes the direction a feasible one. At least two failures, the last at most three steps ago; once for each row and direction. Needs
 * hindsight. Source: CAT 2.4 (1), error correction: "new feasible directions emerge after repeated failures"; prior-systems 5, open point 16.
 */
export const directionChange: WholeSignal = {
  family: "error-correction",
  sees: "whole",
  survey: (_setting, steps) => {
    const follow = failureFollower();
    let answered = 0;
    const found = steps.map((now, index) => {
      const row = follow(now);
      const next = steps[index + 1];
      const newest = row.at(-1)?.number ?? 0;
      if (next === undefined || newest <= answered) return nothing;
      const said = judged(row, next, steps);
      if (said.score > 0) answered = newest; // one answer to one failure: what follows belongs to the new direction
      return said;
    });
    return (cut) => found[cut - 1] ?? nothing;
  },
};
