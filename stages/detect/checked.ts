import { checkOf, isCheck } from "../lib/commands/actions.ts";
import type { Deed } from "./evidence.ts";
import type { StepFacts } from "./facts.ts";

/** Did a test runner count its tests? A script that is only named after tests proves less. */
export const isCounted = ({ action }: Deed): boolean => action.testResult !== null && action.tests;
const ranNothing = ({ action }: Deed): boolean =>
  action.testResult !== null && action.testResult.passed === 0 && action.testResult.failed === 0;

const baseName = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

/** What checks said since the last change of the project's sources. */
export interface Checked {
  /** The check that passed at this step, for the first time since the change; null: none did. */
  readonly passes: Deed | null;
  /** The change it comes after. */
  readonly edit: Deed | null;
  /** The same check failing before, or test counts that were worse. */
  readonly failedBefore: Deed | null;
}
const nothingChecked: Checked = { passes: null, edit: null, failedBefore: null };

/** Follows edits and checks step by step; looks only backwards. */
export function checkFollower(): (facts: StepFacts) => Checked {
  let edit: Deed | null = null;
  let passed = false;
  /** The last outcome of each check, by its command, and of tests that are counted. */
  const outcomes = new Map<string, Deed>();
  let counted: Deed | null = null;

  const checkedBy = (now: Deed): Checked => {
    if (edit === null || passed || now.action.failed || ranNothing(now)) return nothingChecked;
    const own = edit.action.files.some((file) => now.action.runs.some((run) => baseName(run) === baseName(file)));
    if (own) return nothingChecked; // a script that was only repaired itself says nothing about the sources
    passed = true;
    const before = outcomes.get(checkOf(now.action)) ?? (isCounted(now) ? counted : null);
    return { passes: now, edit, failedBefore: before?.action.failed === true ? before : null };
  };

  return ({ number, actions, change }) => {
    let found = nothingChecked;
    for (const action of actions) {
      const now = { number, action };
      if (action === change) {
        edit = now;
        passed = false;
      }
      if (!isCheck(action)) continue;
      const one = action === change && !action.tests ? nothingChecked : checkedBy(now); // running the script that changes proves nothing
      if (one.passes !== null && (found.passes === null || isCounted(one.passes))) found = one;
      outcomes.set(checkOf(action), now);
      if (isCounted(now)) counted = now;
    }
    return found;
  };
}
