import type { Step } from "../../../schemas/trajectory.ts";
import { type Action, actionsOf, sameFile } from "../../lib/commands/actions.ts";
import type { Past, Signal } from "./signal.ts";

/** Attempts that lie further apart than this are no row: in between the agent has looked at something else. */
const longestGap = 8;
/** Failures that are looked at; more in a row change no score. */
const mostFailures = 8;

interface Failure {
  /** 0-based. */
  readonly step: number;
  readonly action: Action;
}

const tries = (action: Action): boolean => action.kind === "run" || action.kind === "test";
const sameTarget = (left: Action, right: Action): boolean =>
  left.command === right.command ||
  (left.kind === right.kind && left.files.some((file) => right.files.some((other) => sameFile(file, other))));

/** Does success here end a row that `failure` belongs to? Passing tests do, and so does the failing command or edit, once it works. */
const ends = (action: Action, failure: Action): boolean =>
  !action.failed && ((tries(action) && action.tests) || sameTarget(action, failure));
/** Looking for something that is not there is no failed attempt. */
const failedAttempt = (step: Step | undefined): Action | undefined =>
  actionsOf(step ?? { calls: [] }).findLast((action) => action.failed && action.kind !== "explore");

/** Failed attempts up to the last step, oldest first; empty unless the last step failed. Steps that look, edit or install may lie between. */
function failuresInARow(steps: readonly Step[]): Failure[] {
  const last = steps.length - 1;
  const newest = failedAttempt(steps[last]);
  if (newest === undefined) return [];
  const row: Failure[] = [{ step: last, action: newest }];
  for (let step = last - 1; step >= 0 && row.length < mostFailures; step -= 1) {
    const [next] = row;
    if (next === undefined || next.step - step > longestGap) break;
    const action = failedAttempt(steps[step]);
    if (action !== undefined) row.unshift({ step, action });
    else if (actionsOf(steps[step] ?? { calls: [] }).some((one) => ends(one, next.action))) break;
  }
  return row;
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

const none = { score: 0, evidence: [] };

/**
 * The moment for a new direction: the last step failed like the ones before it. 1 at the third failure with one signature (or the third
 * identical call with an identical answer) and 0.75 at each one after it; 0.6 at every third failure in a row when the errors differ; 0.5 at
 * the second with one signature; else 0. Steps that look, edit or install may lie between; passing tests, or success of what had failed,
 * end the row. The call belongs before the new direction, which signals cannot see: they look only backwards. Source: CAT 2.4 (1), error
 * correction.
 */
export const newDirection: Signal = ({ steps }: Past) => {
  const loops = repeats(steps);
  if (loops >= 3) {
    const command = actionsOf(steps.at(-1) ?? { calls: [] })[0]?.command ?? "";
    const evidence = [`steps ${steps.length - loops + 1} to ${steps.length} are the same call with the same answer: \`${command}\``];
    return { score: loops === 3 ? 1 : 0.75, evidence };
  }
  const row = failuresInARow(steps);
  const signature = row.at(-1)?.action.signature ?? null;
  const same = signature === null ? [] : row.filter(({ action }) => action.signature === signature);
  if (same.length >= 3) return { score: same.length === 3 ? 1 : 0.75, evidence: same.slice(-4).map(failureLine) };
  if (row.length > 0 && row.length % 3 === 0) return { score: 0.6, evidence: row.slice(-3).map(failureLine) };
  return same.length === 2 ? { score: 0.5, evidence: same.map(failureLine) } : none;
};
