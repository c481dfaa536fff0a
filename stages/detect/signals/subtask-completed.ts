import type { Step } from "../../../schemas/trajectory.ts";
import { type Action, actionsOf, changesFiles, sameFile } from "../../lib/commands/actions.ts";
import type { Past, Signal } from "./signal.ts";

/** Looks around before a first edit or a reproduction that make it a change of phase. */
const enoughLooks = 3;

interface Done {
  /** 0-based. */
  readonly step: number;
  readonly action: Action;
}

interface Milestone {
  readonly score: number;
  readonly evidence: readonly string[];
}

const verifies = (action: Action): boolean => action.kind === "run" || action.kind === "test" || action.tests;
/** Errors of the agent's surroundings, not of the code in question: a failing import reproduces nothing. */
const notTheBug =
  /ModuleNotFoundError|ImportError|No module named|SyntaxError|IndentationError|command not found|No such file|can't open file|Permission denied|not configured|AppRegistryNotReady|ImproperlyConfigured/;
const setsUp = (action: Action): boolean =>
  /^(?:\w+=\S+ )*(?:sudo )?(?:pip3?|python3? -m pip|conda|apt(?:-get)?|npm (?:i|ci|install)|yarn (?:add|install)|poetry (?:add|install)|uv (?:pip|sync|add)) ?/.test(
    action.command,
  );
const tellsProgress =
  /\b(?:all (?:the )?tests (?:now )?pass|works (?:now|correctly|as expected)|is (?:now )?(?:fixed|complete|done|solved)|successfully|(?:fix|bug|issue|error) is (?:confirmed|reproduced|verified)|reproduced|step \d+ is (?:done|complete))\b/i;

const at = ({ step, action }: Done): string => `step ${step + 1}: \`${action.command}\``;
const outcome = ({ action }: Done): string => {
  if (!action.failed) return action.summary === null ? "passes" : `passes (${action.summary})`;
  return action.error === null ? "fails" : `fails (${action.error})`;
};

/** The command without what only shapes its output. */
const checkOf = (action: Action): string => action.command.split(" | ")[0]?.replace(/ 2>&1/g, "").trim() ?? "";
/** Do both check the same thing? The same command, or test runs that print counts. */
const comparable = (left: Action, right: Action): boolean =>
  checkOf(left) === checkOf(right) || (left.testResult !== null && right.testResult !== null && left.tests && right.tests);
const runsNothing = (action: Action): boolean =>
  action.testResult !== null && action.testResult.passed === 0 && action.testResult.failed === 0;
const baseName = (path: string): string => path.slice(path.lastIndexOf("/") + 1);
/** Is the script that `check` runs among the files of `edit`? */
const editsTheCheck = (edit: Action, check: Action): boolean =>
  edit.files.some((file) => baseName(file) !== "" && check.command.includes(baseName(file)));

/** A check passes that failed before: 1 for tests, 0.9 for a script. A check passes for the first time after an edit: 0.8 and 0.6. */
function verified(past: readonly Done[], now: Done): Milestone | null {
  if (!verifies(now.action) || now.action.failed || setsUp(now.action) || runsNothing(now.action)) return null;
  const edits = [...past, now].filter(({ action }) => changesFiles(action) && !editsTheCheck(action, now.action));
  const edit = edits.at(-1);
  const counts = (one: Done): boolean =>
    edit !== undefined && (one.step > edit.step || (one === edit && !editsTheCheck(one.action, one.action)));
  if (edit === undefined || past.some((one) => counts(one) && verifies(one.action) && !one.action.failed && !setsUp(one.action)))
    return null;
  const evidence = [`${at(now)} ${outcome(now)}`, `${at(edit)} edits ${edit.action.files.slice(0, 3).join(", ")}`];
  const before = past.findLast((one) => verifies(one.action) && comparable(one.action, now.action));
  if (before?.action.failed === true)
    return { score: now.action.tests ? 1 : 0.9, evidence: [...evidence, `${at(before)} ${outcome(before)}`] };
  return { score: now.action.tests ? 0.8 : 0.6, evidence };
}

/** The first check that fails, after looking around and not for want of a module: the problem is reproduced. */
function reproduced(past: readonly Done[], now: Done): Milestone | null {
  const fails = (one: Done): boolean =>
    one.action.failed && verifies(one.action) && !notTheBug.test(one.action.error ?? "") && one.action.error !== null;
  if (!fails(now) || past.some(fails) || past.filter((one) => one.action.kind === "explore").length < enoughLooks) return null;
  return { score: 0.7, evidence: [`${at(now)} ${outcome(now)}: the first check that fails`] };
}

/** The first edit of a file that the agent had looked at: exploring is over. */
function firstEdit(past: readonly Done[], now: Done): Milestone | null {
  const { action } = now;
  if (!changesFiles(action)) return null;
  const looks = past.filter((one) => one.action.kind === "explore");
  const seen = (file: string): boolean => looks.some((one) => one.action.reads.some((read) => sameFile(read, file)));
  const file = action.files.find(seen);
  const earlier = past.some((one) => changesFiles(one.action) && one.action.files.some(seen));
  if (file === undefined || earlier || looks.length < enoughLooks) return null;
  return {
    score: 0.55,
    evidence: [`${at(now)} is the first edit of a file looked at before (${file}), after ${looks.length} looks around`],
  };
}

function committed(now: Done): Milestone | null {
  const commits = now.action.kind === "version-control" && /\bgit (?:-\S+ \S+ )*commit\b/.test(now.action.command);
  return commits && !now.action.failed ? { score: 0.9, evidence: [`${at(now)} commits the work so far`] } : null;
}

const none: Milestone = { score: 0, evidence: [] };

/** Words of the last turn may only strengthen what its calls show. */
function strengthened(milestone: Milestone, thought: string): Milestone {
  const words = milestone.score === 0 ? undefined : tellsProgress.exec(thought.slice(0, 4_000))?.[0];
  return words === undefined
    ? milestone
    : { score: Math.min(1, milestone.score + 0.1), evidence: [...milestone.evidence, `the last turn says: "${words}"`] };
}

/**
 * A piece of work was finished by the last step. 1: tests pass that had failed, with an edit in between (0.9 for a script); 0.9: a commit;
 * 0.8: tests pass for the first time after an edit (0.6 for a script); 0.7: the problem is reproduced; 0.55: the first edit of a file that
 * was looked at; + 0.1 when the turn's own words say so, too; else 0. Looks only backwards. Source: CAT 2.4 (1), structural boundaries.
 */
export const subtaskCompleted: Signal = ({ steps }: Past) => {
  const last = steps.at(-1);
  if (last === undefined || last.calls.length === 0) return none;
  const past: Done[] = steps.slice(0, -1).flatMap((step: Step, index) => actionsOf(step).map((action) => ({ step: index, action })));
  let best: Milestone = none;
  for (const action of actionsOf(last)) {
    const now = { step: steps.length - 1, action };
    for (const found of [verified(past, now), committed(now), reproduced(past, now), firstEdit(past, now)])
      if (found !== null && found.score > best.score) best = found;
    past.push(now);
  }
  return strengthened(best, last.thought);
};
