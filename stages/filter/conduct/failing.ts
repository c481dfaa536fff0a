import { isProtocolComplaint } from "../../lib/commands/complaints.ts";
import { acts, type Conduct, type Done, type Place, shareOf, type TakenStep } from "./conduct.ts";
import { repeatsOf } from "./repeats.ts";

/** What went wrong in the agent's own doing: calls that fail, calls that nobody could take, and runs that never get up again. */

const isObject = (text: string): boolean => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
};

const malformed = ({ call, action }: Done): boolean =>
  !isObject(call.arguments) || (action.failed && call.result !== null && isProtocolComplaint(call.result));

/** Is the turn answered by a complaint of the protocol, and not one of its calls? */
const isFormatError = ({ feedback }: TakenStep): boolean => feedback.some(isProtocolComplaint);

/** Calls that no tool could take (no JSON object, unknown tool, missing or wrong parameter), and turns that a format error answers. */
export const malformedPlaces = ({ steps }: Conduct): Place[] =>
  steps.flatMap((taken, step): Place[] => {
    const calls = taken.done.filter(malformed);
    return calls.length === 0 && isFormatError(taken) ? [{ step, call: null }] : calls;
  });
export const malformedCalls = (conduct: Conduct): number => malformedPlaces(conduct).length;

/** Calls that fail, thinking and handing in apart. */
export const failedCalls = ({ done }: Conduct): Done[] => done.filter((one) => acts(one) && one.action.failed);

/** Share of calls, 0..1, that fail, thinking and handing in apart; null without such calls. */
export const failedCallShare = (conduct: Conduct): number | null => shareOf(failedCalls(conduct).length, conduct.done.filter(acts).length);

/** Tests that were counted ran, whatever they say. */
const works = ({ action }: Done): boolean => !action.failed || action.testResult !== null;

/** Does the step get anywhere? null: nothing in it could (it thinks, hands in, or only speaks). */
function getsAnywhere(step: TakenStep, again: boolean): boolean | null {
  const tried = step.done.filter(acts);
  if (tried.length === 0) return isFormatError(step) ? false : null;
  return tried.some(works) && !again;
}

/**
 * Unrecoverable error state: steps at the end of the run after the last one that gets anywhere. A step gets somewhere when one of its calls
 * works (a test run works when its tests are counted, whatever they say) and it is not the same call with the same answer as one of the two
 * steps before. Steps that only think, speak or hand in count for nothing. 0: the last step that acts gets somewhere.
 * Source: CAT 2.4 (5), "unrecoverable error states"; the definition is ours.
 */
export function stuckPlaces(conduct: Conduct): Place[] {
  const { kinds } = repeatsOf(conduct);
  const stuck: Place[] = [];
  for (let at = conduct.steps.length - 1; at >= 0; at -= 1) {
    const kind = kinds[at];
    const again = kind !== null && (kind === kinds[at - 1] || kind === kinds[at - 2]);
    const step = conduct.steps[at];
    const anywhere = step === undefined ? null : getsAnywhere(step, again);
    if (anywhere === true) break;
    if (anywhere === false) stuck.push({ step: at, call: null });
  }
  return stuck.reverse();
}
export const stuckSteps = (conduct: Conduct): number => stuckPlaces(conduct).length;
