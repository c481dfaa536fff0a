import type { Step } from "../../../schemas/trajectory.ts";
import { type Action, actionsOf, sameFile } from "../../lib/commands/actions.ts";
import type { Past, Signal } from "./signal.ts";

/** Failures that may lie apart by this many steps and still count as one row of attempts: look, edit, look again, run. */
const longestGap = 6;
/** A step further back cannot matter: five failures with the widest gaps. */
const lookBack = 5 * longestGap;

interface Failure {
  /** 0-based. */
  readonly step: number;
  readonly action: Action;
}

const tries = (action: Action): boolean => action.kind === "run" || action.kind === "test";
const sameTarget = (left: Action, right: Action): boolean =>
  left.command === right.command ||
  (left.kind === right.kind && left.files.some((file) => right.files.some((other) => sameFile(file, other))));

/** Does success here end the row of failures that `failure` is part of? Passing tests do, and so does the failing command, once it works. */
const ends = (action: Action, failure: Action): boolean =>
  !action.failed && ((tries(action) && action.tests) || sameTarget(action, failure));

/** Failures with the signature of the last step's, oldest first; empty unless the last step failed. Other failures do not interrupt a row. */
function failuresInARow(steps: readonly Step[]): Failure[] {
  const last = steps.length - 1;
  const failure = actionsOf(steps[last] ?? { calls: [] }).findLast((action) => action.failed && action.signature !== null);
  if (failure === undefined) return [];
  const row: Failure[] = [{ step: last, action: failure }];
  for (let step = last - 1; step >= Math.max(0, last - lookBack); step -= 1) {
    if ((row[0]?.step ?? 0) - step > longestGap) break;
    const actions = actionsOf(steps[step] ?? { calls: [] });
    const same = actions.find((action) => action.failed && action.signature === failure.signature);
    if (same !== undefined) row.unshift({ step, action: same });
    else if (actions.some((action) => ends(action, failure))) break;
  }
  return row;
}

/** Failing steps directly one after the other up to the last one, whatever their errors. */
function failingTail(steps: readonly Step[]): Failure[] {
  const tail: Failure[] = [];
  for (let step = steps.length - 1; step >= 0 && tail.length < 4; step -= 1) {
    const action = actionsOf(steps[step] ?? { calls: [] }).findLast((one) => one.failed && one.kind !== "explore");
    if (action === undefined) break;
    tail.unshift({ step, action });
  }
  return tail;
}

const key = (step: Step): string =>
  step.calls.map((call) => `${call.name}\u0000${call.arguments}\u0000${call.result ?? ""}`).join("\u0001");

/** How many of the last steps made the very same calls and got the very same answers. */
function repeats(steps: readonly Step[]): number {
  const [last] = steps.slice(-1);
  if (last === undefined || last.calls.length === 0) return 0;
  const own = key(last);
  let count = 0;
  while (count < 5 && count < steps.length) {
    const step = steps[steps.length - 1 - count];
    if (step === undefined || key(step) !== own) break;
    count += 1;
  }
  return count;
}

const failureLine = ({ step, action }: Failure): string =>
  `step ${step + 1}: \`${action.command}\` failed${action.error === null ? "" : `: ${action.error}`}`;

/**
 * The moment for a new direction: the last step failed like the ones before it. 1 at the third failure with one signature (or the third
 * identical call with an identical answer), 0.75 at each one after it, 0.45 at the second; 0.6 at the third failing step in a row when the
 * errors differ; else 0. Steps that look and edit may lie between; passing tests, or success of the failing command, end the row. The call
 * belongs before the new direction, which signals cannot see: they look only backwards. Source: CAT 2.4 (1), error correction.
 */
export const newDirection: Signal = ({ steps }: Past) => {
  const row = failuresInARow(steps);
  const tail = failingTail(steps);
  const loops = repeats(steps);
  const last = steps.at(-1);
  if (loops >= 3 && last !== undefined) {
    const [action] = actionsOf(last);
    return {
      score: loops === 3 ? 1 : 0.75,
      evidence: [
        `steps ${steps.length - loops + 1} to ${steps.length} are the same call with the same answer: \`${action?.command ?? ""}\``,
      ],
    };
  }
  if (row.length >= 3) return { score: row.length === 3 ? 1 : 0.75, evidence: row.slice(-4).map(failureLine) };
  if (tail.length === 3) return { score: 0.6, evidence: tail.map(failureLine) };
  return row.length === 2 ? { score: 0.45, evidence: row.map(failureLine) } : { score: 0, evidence: [] };
};
