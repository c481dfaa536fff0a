import type { Check, CheckView, Finding } from "./check.ts";
import { commandWords } from "./command-match.ts";
import { type Known, knownOf } from "./known.ts";
import type { Deed } from "./runs.ts";
import { deedsOf, tries } from "./runs.ts";
import { outcomeOf } from "./states.ts";

/**
 * A failing state at the end of the fold stays one. Source: papers/complexity-trap.txt 4.4: summaries smooth over failing signals, and the
 * agent goes on where it should stop.
 */

/** The check without what shapes its output: a run again is the same one. */
const identity = (deed: Deed): string => commandWords(deed.action.command).join(" ");

/** What fails at the end of the fold: its last run or test, unless the same check works in the recent steps. null: it does not fail. */
export function failingState(view: CheckView): Deed | null {
  const deeds = deedsOf(view.fold).filter(tries);
  const last = deeds.at(-1);
  if (last === undefined || outcomeOf(last) !== "failed") return null;
  if (last.action.error === null && last.action.summary === null) return null;
  const solved = deedsOf(view.recent).some((deed) => tries(deed) && outcomeOf(deed) === "passed");
  return solved ? null : last;
}

const failureWords =
  /\b(?:fail(?:s|ed|ing|ures?)?|errors?|exceptions?|broke(?:n)?|crash(?:es|ed|ing)?|traceback|wrong(?:ly)?|incorrect(?:ly)?|can(?:not|'t)|couldn't|could not|unable|missing|unresolved|does(?: not|n't)|did(?: not|n't)|do(?: not|n't)|is(?: not|n't)|was(?: not|n't)|not (?:yet |found|work|installed|available|recognized)|no module|issues?|problems?|bugs?|mismatch|regression|blocked|raises?d?|reproduc\w+|invalid|unexpected|time[ds]? ?out|still|instead of|\w+(?:Error|Exception))\b/i;

/** Words that tell which failure is meant: error types and names in its message, failing tests, files of the command. */
function marksOf(deed: Deed): Set<string> {
  const { action } = deed;
  const text = `${action.error ?? ""} ${action.failing.join(" ")} ${action.command}`.toLowerCase();
  const marks = new Set<string>();
  for (const [word] of text.matchAll(/[a-z_][\w]{3,60}/g)) if (!common.has(word)) marks.add(word);
  return marks;
}
const common = new Set(
  "python python3 test tests with from that this error exception line file testbed tmp pytest true false none return head tail grep module failed passed main command testing".split(" "),
);

function keeps(known: Known, deed: Deed): boolean {
  const marks = marksOf(deed);
  return known.lines.some(({ text }) => {
    if (!failureWords.test(text)) return false;
    const words = text.toLowerCase().match(/[a-z_]\w{3,60}/g) ?? [];
    return marks.size === 0 || words.some((word) => marks.has(word));
  });
}

export const failureKeeping: Check = (view) => {
  const known = knownOf(view);
  const failing = failingState(view);
  if (failing === null) return { looked: 0, findings: [] };
  const { action } = failing;
  if (keeps(known, failing)) return { looked: 1, findings: [] };
  const finding: Finding = { words: action.error ?? action.summary ?? action.command, why: `\`${identity(failing)}\` failed last, and the memory does not say so` };
  return { looked: 1, findings: [finding] };
};
