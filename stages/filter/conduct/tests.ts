import type { Action } from "../../lib/commands/actions.ts";
import type { Conduct, Done, TakenStep } from "./conduct.ts";
import { testRunReader } from "./test-runs.ts";

const handsIn = ({ trajectory, done }: Conduct): boolean =>
  /submitted$/.test(trajectory.outcome.exit) || done.some(({ action }) => action.kind === "submit");

/** Pages and notes, which no test looks at. */
const prose = /\.(?:md|rst|txt|adoc)$|(?:^|\/)(?:CHANGES|CHANGELOG|NEWS|AUTHORS)[^/]*$/i;

/** The call of a step that changed the sources: not one that only removes files, or writes prose. */
function changeOf({ work }: TakenStep): Action | null {
  const { change, sources } = work;
  if (change === null || sources.every((file) => prose.test(file) || change.removes.includes(file))) return null;
  return change;
}

export interface LastEdit {
  /** The last call that changed the project's sources. */
  readonly change: Done;
  /** Test runs after it, those of the same call included. */
  readonly testRuns: readonly Done[];
}

/** null: nothing was changed, or nothing handed in. */
export function lastEdit(conduct: Conduct): LastEdit | null {
  if (!handsIn(conduct)) return null;
  const ranTests = testRunReader(conduct);
  let last: { change: Done; testRuns: Done[] } | null = null;
  for (const step of conduct.steps) {
    const change = changeOf(step);
    for (const one of step.done) {
      if (one.action === change) last = { change: one, testRuns: [] }; // and yet tests may run behind it: `sed -i ... && pytest`
      const tested = ranTests(one); // asked of every call, since a script may be written long before the change
      if (tested) last?.testRuns.push(one);
    }
  }
  return last;
}

/**
 * Test runs after the last change of the project's sources that ran at least one test; a script that is named after tests counts, where no
 * runner says how many there were, unless the run wrote it and it loads nothing of the project. null: nothing was changed, or nothing
 * handed in.
 */
export const testRunsAfterEdit = (conduct: Conduct): number | null => lastEdit(conduct)?.testRuns.length ?? null;
