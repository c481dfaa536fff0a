import type { Check, Finding } from "./check.ts";
import { claimedWords, commandWords, deedsOfCommand, LineWords } from "./command-match.ts";
import { type Entity, entitiesIn, pathOf } from "./entities.ts";
import { type Known, knownOf } from "./known.ts";
import { isConjecture } from "./lines.ts";
import { numberSeen, pathSeen, symbolSeen, testSeen } from "./lookup.ts";

/** In a plan these announce something that need not be there yet. */
const creates =
  /\b(?:creat(?:e|es|ing)|add(?:s|ing)?|writ(?:e|es|ing)|new|make|making|introduc(?:e|ing)|implement(?:ing)?|generat(?:e|ing)|draft|build|extend(?:ing)?|save|put|define|register|renam(?:e|ing)|move|such as|like|e\.g\.)\b/i;

/** Is a command told that was run, is shown, or is made of words of one that was? In a plan its names must be known, not its wording. */
function commandSeen(entity: Entity, known: Known): boolean {
  const filled = entity.words.replace(/<[\w -]{1,40}>|\{[\w -]{1,40}\}/g, " "); // placeholders, unless the command is a pattern
  return [entity.words, filled].some((words) => {
    const text = words.replace(/\s+/g, " ").trim().toLowerCase();
    if (known.before.hasText(text) || known.before.hasText(text.replace(/ … ?$| \.\.\.$/, ""))) return true;
    if (deedsOfCommand(words, known.deeds).length > 0) return true;
    const claimed = claimedWords(commandWords(words));
    return told(known).some((typed) => typed.hasAll(claimed)) && filesOf(entity).every((one) => !unseen(one, known));
  });
}

const toldWords = new WeakMap<Known, readonly LineWords[]>();
/** Lines of what was said and printed that look like commands, as words: Q, the previous memory and thoughts quote commands, too. */
function told(known: Known): readonly LineWords[] {
  const there = toldWords.get(known);
  if (there !== undefined) return there;
  const lines = known.before.texts.flatMap(({ text }) =>
    text
      .slice(0, 60_000)
      .split("\n")
      .filter(
        (line) =>
          line.length <= 400 && /(?:^|[`$>:\s])(?:python3?|pytest|pip|npm|npx|node|make|cargo|go|git|tox|sed|grep|\.\/\w+) /.test(line),
      ),
  );
  const words = [...new Set(lines)].slice(0, 2_000).map((line) => new LineWords(line));
  toldWords.set(known, words);
  return words;
}

/** Is the entity in `known.before`? */
export const entitySeen = (entity: Entity, known: Known): boolean => !unseen(entity, known);

function unseen(entity: Entity, known: Known): boolean {
  const { words } = entity;
  const seen = known.before;
  switch (entity.kind) {
    case "path":
      return !pathSeen(words, seen);
    case "test":
      return !testSeen(words, seen);
    case "error":
    case "symbol":
      return !symbolSeen(words, seen);
    case "number":
      return !numberSeen(entity, seen);
    case "command":
      return !commandSeen(entity, known);
  }
}

/** The files inside a command that cannot have been run yet. */
const filesOf = (entity: Entity): Entity[] =>
  entity.kind === "command"
    ? entitiesIn({ ...entity.line, code: false }, entity.words).filter(({ kind }) => kind === "path" || kind === "test")
    : [entity];

/** `test_qdp.py` where `qdp.py` was shown: where tests of a file are to be looked for is no invention. */
function namedAfterSeen(words: string, known: Known): boolean {
  const path = pathOf(words).split("::")[0] ?? "";
  const name = path.slice(path.lastIndexOf("/") + 1).replace(/\.\w{1,6}$/, "");
  const subject = /^tests?_(\w+)$|^(\w+?)(?:_tests?|\.test|\.spec)$/i.exec(name);
  const about = subject?.[1] ?? subject?.[2];
  return about !== undefined && known.before.hasWord(about);
}

/** A plan claims that the files exist which it does not mean to create; its other words are ideas. */
const inPlan = (entity: Entity): Entity[] =>
  creates.test(entity.clause) ? [] : filesOf(entity).filter(({ kind }) => kind === "path" || kind === "test");

/** Does the clause say that this is not there (`no __len__`, "`a.py` does not exist")? Then nobody can have seen it. */
function saidAbsent({ clause, words, kind }: Entity): boolean {
  if (kind === "command" || kind === "number") return false;
  const at = clause.indexOf(words);
  return (
    /\b(?:no|lacks?|lacking|neither|nor)\s[`"']?$/i.test(clause.slice(Math.max(0, at - 20), at)) ||
    /^[`"')\]]{0,2}(?:, [`\w()]{1,60}){0,4}\s(?:(?:do(?:es)?|did) not(?: exist)?\W*$|(?:do(?:es)? not|don't|doesn't) exist|(?:is|are|was|were) (?:not (?:defined|found|present|there|available|installed|implemented)|absent|missing))/i.test(
      clause.slice(at + words.length),
    )
  );
}

/** One thing said twice in one clause is asked for once. */
const distinct = (): ((entity: Entity) => boolean) => {
  const told = new Set<string>();
  return ({ kind, words, clause }) => {
    const key = `${kind} ${words} ${clause}`;
    return !told.has(key) && told.add(key).size > 0;
  };
};

/** Entities of a memory that nothing before the cut shows. */
export function unseenEntities(known: Known): Entity[] {
  const there = unseenIn.get(known);
  if (there !== undefined) return there;
  const found = findUnseen(known);
  unseenIn.set(known, found);
  return found;
}
const unseenIn = new WeakMap<Known, Entity[]>();

const findUnseen = (known: Known): Entity[] =>
  known.entities
    .filter(distinct())
    .filter(({ clause }) => !isConjecture(clause))
    .flatMap((entity) => (entity.plan ? inPlan(entity) : [entity]))
    .filter((entity) => unseen(entity, known) && !saidAbsent(entity) && !(entity.plan && namedAfterSeen(entity.words, known)));

/** Every path, symbol, command, test, error type and number of the memory occurs in Q, the previous memory, the fold or the recent steps. */
export const grounded: Check = (view) => {
  const known = knownOf(view);
  const findings = unseenEntities(known).map(({ kind, words }): Finding => ({ words, why: `${kind} was never shown before the cut` }));
  const told = new Set<string>();
  return { looked: known.entities.length, findings: findings.filter(({ words }) => !told.has(words) && told.add(words).size > 0) };
};
