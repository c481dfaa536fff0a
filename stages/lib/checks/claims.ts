import { type Entity, entitiesIn } from "./entities.ts";
import { clausesOf, isPlan, type MemoryLine } from "./lines.ts";
import type { Polarity } from "./states.ts";

/** What a memory says about how things went: outcomes of tests and runs, and what became of files. */

const numberWords: Readonly<Record<string, number>> = {
  no: 0,
  zero: 0,
  one: 1,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  eight: 8,
  nine: 9,
  ten: 10,
};
const count = `([0-9]{1,6}|no|zero|one|two|three|four|five|six|seven|eight|nine|ten)`;
const noun = `(?:(?:unit|existing|new|other|of the|regression|relevant|original|related) ){0,2}(?:tests?|test cases?|cases|checks?|assertions?|specs?|examples?)?`;
const passedCount = new RegExp(String.raw`\b${count} ${noun}\s?(?:have |are |now )?pass(?:ed|es|ing)?\b`, "gi");
const failedCount = new RegExp(String.raw`\b${count} ${noun}\s?(?:still |have |are |now )?(?:fail(?:ed|s|ing|ures?)?|errors?)\b`, "gi");
const ofTotal = /\b(\d{1,6})\s?(?:\/|of|out of)\s?(\d{1,6}) (?:tests? )?(?:pass|fail)/i;

export interface Counts {
  readonly passed: number | null;
  readonly failed: number | null;
}

const toNumber = (word: string): number => numberWords[word.toLowerCase()] ?? Number(word);
const only = (text: string, pattern: RegExp): number | null => {
  const found = [...text.matchAll(pattern)];
  return found.length === 1 ? toNumber(found[0]?.[1] ?? "") : null;
};

/** Test counts that a clause states; null: it states none, or several that cannot be told apart. */
export function countsIn(clause: string): Counts | null {
  if (ofTotal.test(clause)) return null;
  const passed = only(clause, passedCount);
  const failed = only(clause, failedCount);
  return passed === null && failed === null ? null : { passed, failed };
}

const notFailed =
  /\b(?:no|zero|0|without(?: any)?|not?|n't|never|nothing) (?:tests? |more |new |further |other |longer )?(?:fail(?:s|ed|ing|ures?)?|errors?|regressions?|issues?|exceptions?|crash(?:es)?)\b/gi;
const notPassed =
  /\b(?:not|n't|never|no longer|cannot|can't|fails? to|unable to|yet to|none of .{0,30}|none|nothing|no (?=success|pass)) ?(?:\w+ )?(?:pass(?:ed|es|ing)?|successful(?:ly)?|work(?:s|ed|ing)?|succeed(?:s|ed)?|run)\b/gi;
/** As runners print it: `# fail 0`, `failures=0`. */
const noneFailed = /\b(?:fail(?:ed|ures?|ing)?|errors?)(?::\s?|=|\s)0\b/gi;
const failedWord = /\b(?:fail(?:s|ed|ing|ures?)?|crash(?:es|ed)?|broke(?:n)?|red|unsuccessful)\b/i;
const passedWord =
  /\b(?:pass(?:es|ed|ing)?|succeed(?:s|ed)?|success(?:ful|fully)?|green|works?(?: (?:correctly|now|as expected|fine))?)\b/i;

/** What a clause says of an outcome; null: nothing, or both. */
export function polarityOf(clause: string): Polarity | null {
  const spoken = clause
    .replace(/`[^`]*`/g, " ` ")
    .replace(/\b(?:a|an|the|that|this|each|every|any) (?:failed|failing|passed|passing|successful)\b/gi, " ");
  const text = spoken.replace(noneFailed, " passed ").replace(notFailed, " passed ").replace(notPassed, " failed ");
  const [failed, passed] = [failedWord.test(text), passedWord.test(text)];
  return failed === passed ? null : failed ? "failed" : "passed";
}

/** Words of a claim about what was before: an older state is no contradiction. */
const historical =
  /\b(?:before|initial(?:ly)?|at first|originally|previous(?:ly)?|earlier|baseline|first|pre-?existing|until|was|were|had|used to|prior|after reverting|when|without|unpatched|unmodified|old|on the original|if)\b/i;
export const isHistorical = (clause: string): boolean => historical.test(clause);

export interface OutcomeClaim {
  readonly line: MemoryLine;
  readonly clause: string;
  readonly polarity: Polarity | null;
  readonly counts: Counts | null;
  /** Commands, files and tests that the outcome is said of. */
  readonly about: readonly Entity[];
  /** Is it said of tests as such ("all tests pass")? */
  readonly ofTests: boolean;
}

const tests = /\btests?\b|\btest suite\b|\bsuite\b|\bspecs?\b/i;

/** Outcomes that a line states. A plan states none. */
export function outcomeClaims(line: MemoryLine): OutcomeClaim[] {
  if (line.code) return [];
  return clausesOf(line.text).flatMap((clause) => {
    if (isPlan(line, clause)) return [];
    const polarity = polarityOf(clause);
    const counts = countsIn(clause);
    if (polarity === null && counts === null) return [];
    const about = entitiesIn(line, clause).filter(({ kind }) => kind === "command" || kind === "path" || kind === "test");
    return [{ line, clause, polarity, counts, about, ofTests: tests.test(clause) || counts !== null }];
  });
}

export type FileVerb = "created" | "edited" | "removed";
export interface FileClaim {
  readonly line: MemoryLine;
  readonly verb: FileVerb;
  readonly path: Entity;
}

const verbs: readonly (readonly [FileVerb, RegExp])[] = [
  [
    "created",
    /^(?:\W{0,3})(?:successfully |also |then |i |we )?(?:created|wrote|written|new (?:file|script|test(?: file)?))\b(?! (?:in|inside|to)\b)/i,
  ],
  ["edited", /^(?:\W{0,3})(?:successfully |also |then |i |we )?(?:edited|modified|changed|updated|patched|rewrote|refactored)\b/i],
  ["removed", /^(?:\W{0,3})(?:successfully |also |then |i |we )?(?:deleted|removed|cleaned up)\b/i],
];

/** What a clause says became of the file it names first, right behind the verb. */
export function fileClaims(line: MemoryLine): FileClaim[] {
  if (line.code || line.plan) return [];
  return clausesOf(line.text).flatMap((clause) => {
    if (isPlan(line, clause)) return [];
    const verb = verbs.find(([, pattern]) => pattern.test(clause))?.[0];
    if (verb === undefined) return [];
    const paths = entitiesIn(line, clause).filter(({ kind }) => kind === "path");
    const [first] = paths;
    if (first === undefined) return [];
    const before = clause.slice(0, clause.indexOf(first.words));
    const near = before.split(/\s+/).length <= 7 && !/\b(?:from|based on|using|with|by|of)\b/i.test(before);
    return near ? [{ line, verb, path: first }] : [];
  });
}

/** "No changes yet": that nothing of the code was changed so far. */
export const saysUnchanged = (line: MemoryLine): boolean =>
  !line.plan &&
  (/\bno (?:code |source |file |files |other )?(?:changes|edits|modifications)(?: (?:have been |were )?(?:made|done))?(?: yet| so far)\b|\bnothing (?:has been |was )?(?:changed|modified|edited) (?:yet|so far)\b/i.test(
    line.text,
  ) ||
    (/^(?:changes|files? (?:changed|modified)|edits)\b/.test(line.heading) &&
      /^(?:none|nothing)(?: so far| yet)?\b[.\s]*(?:$|-)/i.test(line.text)));
