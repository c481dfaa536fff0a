import { type Action, checkOf, isCheck, sameFile } from "../lib/commands/actions.ts";
import { at, type Deed } from "./evidence.ts";
import type { StepFacts } from "./facts.ts";

/** Attempts that lie further apart than this are no row: in between the agent has looked at something else. Our choice. */
const longestGap = 8;
/** Failures that are kept; more in a row change nothing. */
const mostFailures = 8;

/** Looking for something that is not there is no failed attempt. */
const failedAttempt = (actions: readonly Action[]): Action | undefined =>
  actions.findLast((action) => action.failed && action.kind !== "explore" && action.kind !== "think");

const sameTarget = (left: Action, right: Action): boolean =>
  checkOf(left) === checkOf(right) ||
  (left.kind === right.kind && left.files.some((file) => right.files.some((other) => sameFile(file, other))));

/** Does success here end a row that `failure` belongs to? Passing tests do, and so does the failing command or edit, once it works. */
const ends = (action: Action, failure: Action): boolean =>
  !action.failed && ((isCheck(action) && action.tests) || sameTarget(action, failure));

/** Follows failed attempts step by step: the row that is open after a step, oldest first. Steps that look, edit or install may lie between. */
export function failureFollower(): (facts: StepFacts) => readonly Deed[] {
  let row: readonly Deed[] = [];
  return ({ number, actions }) => {
    const newest = row.at(-1);
    if (newest !== undefined && number - newest.number > longestGap) row = [];
    const action = failedAttempt(actions);
    if (action !== undefined) row = [...row.slice(1 - mostFailures), { number, action }];
    else if (newest !== undefined && actions.some((one) => ends(one, newest.action))) row = [];
    return row;
  };
}

export const failureLine = (deed: Deed): string => `${at(deed)} failed${deed.action.error === null ? "" : `: ${deed.action.error}`}`;
