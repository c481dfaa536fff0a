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

/** What an honest line says of something that does not work. */
const failureWords =
  /\b(?:fail(?:s|ed|ing|ures?)?|errors?|exceptions?|broke(?:n)?|breaks?|crash(?:es|ed|ing)?|traceback|wrong(?:ly)?|incorrect(?:ly)?|can(?:not|'t)|couldn't|could not|unable|missing|lacks?|unresolved|unverified|refus(?:es|ed)|reject(?:s|ed)|complain(?:s|ed)?|abort(?:s|ed)?|(?:does|did|do)(?: not|n't)|no module|not found|regression|issues?|problems?|blocked|rais(?:es|ed)|throws?|threw|invalid|unexpected|time[ds]? ?out|mismatch|conflicts?|\w+(?:Error|Exception))\b/i;
/** Words that warn only beside what tells which failure is meant: whether a bug "is still there" or a run "was not successful". */
const softWords = /\b(?:not|n't|never|none|no|nothing|still|persists?|stray|reproduc\w+)\b/i;

interface Marks {
  /** Error types and failing tests: one of them says which failure is meant. */
  readonly telling: ReadonlySet<string>;
  /** Other words of the message and the command: two of them do. */
  readonly other: ReadonlySet<string>;
}

/** Words and the parts of names: a build that fails may be told of `build_ext`. */
const wordsOf = (text: string): string[] =>
  text
    .toLowerCase()
    .match(/[a-z]{4,60}|[a-z_]\w{3,60}/g)
    ?.flatMap((word) => [word, ...word.split("_")])
    .filter((word) => word.length > 3) ?? [];

/** Words that tell which failure is meant. */
function marksOf({ action }: Deed): Marks {
  const types = (action.error ?? "").match(/\b[A-Z]\w*(?:Error|Exception|Failure|Exit|Interrupt|Warning)\b/g) ?? [];
  const telling = new Set([
    ...types.map((type) => type.toLowerCase()),
    ...wordsOf(action.failing.join(" ")).filter((word) => !common.has(word)),
  ]);
  const other = wordsOf(`${action.error ?? ""} ${action.summary ?? ""} ${action.command}`).filter(
    (word) => !common.has(word) && !telling.has(word),
  );
  return { telling, other: new Set(other) };
}
const common = new Set(
  "python python3 test tests with from that this error exception line file testbed tmp pytest true false none return head tail grep module failed passed main command testing object type attribute name value must have before been call calling either string index does found such".split(
    " ",
  ),
);

/** Does a line that claims something warn of this failure? Q's own words and plans warn of nothing that happened. */
function keeps(known: Known, deed: Deed): boolean {
  const { telling, other } = marksOf(deed);
  const needed = Math.min(2, other.size);
  return known.lines.some((line) => {
    if (/\b(?:task|goal|user|objective)\b/.test(line.heading) || !(failureWords.test(line.text) || softWords.test(line.text))) return false;
    const words = new Set(wordsOf(line.text));
    if ([...telling].some((mark) => words.has(mark))) return true;
    return failureWords.test(line.text) && [...other].filter((mark) => words.has(mark)).length >= needed;
  });
}

export const failureKeeping: Check = (view) => {
  const known = knownOf(view);
  const failing = failingState(view);
  if (failing === null) return { looked: 0, findings: [] };
  const { action } = failing;
  if (keeps(known, failing)) return { looked: 1, findings: [] };
  const finding: Finding = {
    words: action.error ?? action.summary ?? action.command,
    why: `\`${identity(failing)}\` failed last, and the memory does not say so`,
  };
  return { looked: 1, findings: [finding] };
};
