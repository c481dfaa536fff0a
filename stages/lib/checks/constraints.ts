import { clausesOf, linesOfMemory, type MemoryLine } from "./lines.ts";

/** Rules: what has to be, or must not be, in Q, in what the user says on the way, and in a memory. */

/** Forbidding words. "Does not" and "is not" describe what is wrong, and forbid nothing. */
const negative =
  /\b(?:(?:do|must|should|shall|may|can) not|(?:do|must|should|shall|ca)n't|cannot|never|no need to|not (?:be )?(?:allowed|permitted|necessary|needed)|forbidden|avoid|without (?:modif|chang|break|alter|touch|delet|remov|us|add|creat|edit)\w*ing|out of scope|off[- ]limits|untouched|unchanged|non-\w+)\b/i;
const positive =
  /\b(?:must|has to|have to|required?|requires|should|shall|always|ensure|make sure|keep|preserve|remain|at least|compatible|compatibility)\b/i;
const permission =
  /\b(?:may|can|could|allowed|free to|fine to|ok(?:ay)? to|feel free|optional|permitted|should|must|needs? to|has to|have to)\b/i;

/** Verbs of one meaning, by their beginnings. */
const families: readonly RegExp[] = [
  /^(?:modif|chang|edit|alter|touch|rewrit|updat|adjust)/,
  /^(?:delet|remov|drop)/,
  /^(?:add|creat|introduc|writ)/,
  /^(?:break|broke)/,
  /^(?:install|upgrad)/,
  /^(?:us(?:e|es|ed|ing)$|call|reli)/,
  /^(?:keep|kept|preserv|retain|maintain|remain)/,
  /^(?:run|execut|start)/,
  /^(?:commit|push|submit)/,
  /^(?:renam|mov)/,
  /^(?:support|handl|accept|allow)/,
  /^(?:rais|throw|return)/,
];
const stop = new Set(
  (
    "the and that this with from into your you for not are was were have has had been will would should must can may could also any all its their them they then than when where which while what " +
    "only just more most other same such each does done being there here about after before make sure need needs"
  ).split(" "),
);

export interface Rule {
  readonly text: string;
  readonly negative: boolean;
  /** Families of its verbs. */
  readonly verbs: ReadonlySet<number>;
  /** What it is about: longer words, without plural. */
  readonly objects: ReadonlySet<string>;
}

const stem = (word: string): string => word.toLowerCase().replace(/(?:'s|s)$/, "");
/** Words that carry the meaning: at least four letters, or with digits. */
export const contentWords = (text: string): Set<string> =>
  new Set(
    (text.match(/[A-Za-z_][\w.]*\w|\d+(?:\.\d+)*/g) ?? [])
      .map(stem)
      .filter((word) => (word.length >= 4 || /\d/.test(word)) && !stop.has(word)),
  );

export function ruleOf(text: string): Rule | null {
  const isNegative = negative.test(text);
  if (!isNegative && !positive.test(text)) return null;
  return readRule(text, isNegative);
}

function readRule(text: string, isNegative: boolean): Rule {
  const verbs = new Set<number>();
  const objects = new Set<string>();
  for (const word of contentWords(text)) {
    const family = families.findIndex((pattern) => pattern.test(word));
    if (family >= 0) verbs.add(family);
    else objects.add(word);
  }
  return { text, negative: isNegative, verbs, objects };
}

/** Longest text that is read for rules; a task beyond it holds logs and code. Our choice. */
const longestTask = 40_000;

/** Rules of a text, clause by clause; code blocks are passed over. */
export const rulesOf = (text: string): Rule[] =>
  linesOfMemory(text.slice(0, longestTask))
    .filter((line) => !line.code && line.text.length <= 600)
    .flatMap((line) => clausesOf(line.text))
    .flatMap((clause) => ruleOf(clause) ?? []);

/** What a memory allows or orders: clauses that permit, oblige or plan. */
export function allowancesOf(line: MemoryLine): Rule[] {
  if (line.code) return [];
  return clausesOf(line.text).flatMap((clause) => {
    const spoken = clause.replace(/`[^`]*`/g, "`");
    return permission.test(spoken) || /^(?:modify|change|edit|update|delete|remove)\b/i.test(spoken)
      ? [readRule(clause, negative.test(spoken))]
      : [];
  });
}
