import type { Check, Finding } from "./check.ts";
import { commandWords, deedsOfCommand, missingWords } from "./command-match.ts";
import { type Entity, entitiesOf } from "./entities.ts";
import { type Known, knownOf } from "./known.ts";
import { numberSeen, pathSeen, symbolSeen, testSeen } from "./lookup.ts";

/** In a plan these announce something that need not be there yet. */
const creates = /\b(?:creat(?:e|es|ing)|add(?:s|ing)?|writ(?:e|es|ing)|new|make|making|introduc(?:e|ing)|implement(?:ing)?|generat(?:e|ing)|draft|build|extend(?:ing)?|save|put|define|register|renam(?:e|ing)|move|such as|like|e\.g\.)\b/i;

/** Is a command told that was run, is shown, or is made of words of one that was? In a plan its names must be known, not its wording. */
function commandSeen(entity: Entity, known: Known): boolean {
  const text = entity.words.replace(/\s+/g, " ").toLowerCase();
  if (known.before.hasText(text) || known.before.hasText(text.replace(/ … ?$| \.\.\.$/, ""))) return true;
  if (deedsOfCommand(entity.words, known.deeds).length > 0) return true;
  const claimed = commandWords(entity.words);
  return told(known).some((typed) => missingWords(claimed, typed).length === 0);
}

const toldWords = new WeakMap<Known, readonly (readonly string[])[]>();
/** Lines of what was said and printed that look like commands, as words: Q, the previous memory and thoughts quote commands, too. */
function told(known: Known): readonly (readonly string[])[] {
  const there = toldWords.get(known);
  if (there !== undefined) return there;
  const lines = known.before.texts.flatMap(({ text }) =>
    text
      .slice(0, 60_000)
      .split("\n")
      .filter((line) => line.length <= 400 && /(?:^|[`$>:\s])(?:python3?|pytest|pip|npm|npx|node|make|cargo|go|git|tox|sed|grep|\.\/\w+) /.test(line)),
  );
  const words = [...new Set(lines)].slice(0, 2_000).map(commandWords);
  toldWords.set(known, words);
  return words;
}

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

/** The names inside a command that cannot have been run yet. */
const insideOf = (entity: Entity): Entity[] =>
  entitiesOf({ ...entity.line, code: false }, entity.words).filter(({ kind }) => kind === "path" || kind === "test");

/** Entities of a memory that nothing before the cut shows. */
export function unseenEntities(known: Known): Entity[] {
  return known.entities.filter((entity) => {
    if (entity.line.plan && entity.kind === "command") return insideOf(entity).some((one) => unseen(one, known) && !creates.test(one.line.text));
    if (!unseen(entity, known)) return false;
    return !(entity.line.plan && creates.test(entity.line.text));
  });
}

/** Every path, symbol, command, test, error type and number of the memory occurs in Q, the previous memory, the fold or the recent steps. */
export const grounded: Check = (view) => {
  const known = knownOf(view);
  const findings = unseenEntities(known).map(
    ({ kind, words }): Finding => ({ words, why: `${kind} was never shown before the cut` }),
  );
  const told = new Set<string>();
  return { looked: known.entities.length, findings: findings.filter(({ words }) => !told.has(words) && told.add(words).size > 0) };
};
