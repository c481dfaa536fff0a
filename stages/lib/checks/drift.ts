import type { Check, CheckView, Finding } from "./check.ts";
import { allowancesOf, contentWords, type Rule, rulesOf } from "./constraints.ts";
import { type Entity, entitiesOf } from "./entities.ts";
import { type Known, knownOf } from "./known.ts";
import { linesOfMemory } from "./lines.ts";
import { pathSeen, symbolSeen, testSeen } from "./lookup.ts";
import { numberOf, seenOf, seenText } from "./seen.ts";

/**
 * Do rules and facts survive from hop to hop? Q stays visible, so its rules cannot be lost; they can be contradicted or altered. What the
 * user said on the way, and rules that only the previous memory held, can be lost.
 */

const overlap = (some: ReadonlySet<string>, others: ReadonlySet<string>): number => [...some].filter((word) => others.has(word)).length;

/** The same deed on the same thing, forbidden by one and ordered or allowed by the other. */
function contradicts(rule: Rule, other: Rule): boolean {
  if (rule.negative === other.negative) return false;
  const [wide, narrow] = rule.objects.size > other.objects.size ? [rule, other] : [other, rule];
  const shared = overlap(narrow.objects, wide.objects);
  return overlapNumbers(rule.verbs, other.verbs) && shared >= 1 && shared >= 0.6 * narrow.objects.size;
}
const overlapNumbers = (some: ReadonlySet<number>, others: ReadonlySet<number>): boolean => [...some].some((one) => others.has(one));

function contradicted(rules: readonly Rule[], known: Known): Finding[] {
  return known.lines.flatMap(allowancesOf).flatMap((said): Finding[] => {
    const broken = rules.find((rule) => contradicts(rule, said));
    return broken === undefined ? [] : [{ words: said.text, why: `against "${broken.text.slice(0, 160)}"` }];
  });
}

const numbersOf = (words: ReadonlySet<string>): string[] => [...words].filter((word) => /^\d/.test(word)).map(numberOf);

/** A rule told again with another number or version. */
function altered(rules: readonly Rule[], known: Known): Finding[] {
  const said = known.lines.flatMap(({ text, code }) => (code ? [] : rulesOf(text)));
  return said.flatMap((one): Finding[] => {
    const numbers = numbersOf(one.objects);
    if (numbers.length === 0) return [];
    const same = rules.find((rule) => {
      const plain = [...one.objects].filter((word) => !/^\d/.test(word));
      const shared = plain.filter((word) => rule.objects.has(word)).length;
      return plain.length >= 2 && shared >= 0.75 * plain.length && numbersOf(rule.objects).length > 0;
    });
    const wrong = same === undefined ? undefined : numbers.find((number) => !same.text.includes(number));
    return wrong === undefined || same === undefined ? [] : [{ words: one.text, why: `${wrong} is not in "${same.text.slice(0, 160)}"` }];
  });
}

/** Messages of scaffolds about the protocol; no rules of the task. */
const canned =
  /\b(?:tool calls?|function calls?|your (?:last )?(?:response|output|reply)|format|bash block|submit|please continue|exactly one|code block|action)\b/i;

/** "Only" and "keep" stand in many a plain fact; these words make a rule. */
const strict = /\b(?:must|never|do not|don't|not allowed|forbidden|required|always|cannot be|has to|have to)\b/i;

/** Rules that only the fold's user messages and the previous memory hold. */
function ownRules(view: CheckView): Rule[] {
  const told = view.fold.flatMap(({ feedback }) => feedback).filter((text) => text.length <= 2_000 && !canned.test(text));
  const before =
    view.previousMemory === null
      ? []
      : linesOfMemory(view.previousMemory)
          .filter(({ heading, plan, code }) => /constraint|rule|requirement/.test(heading) && !plan && !code)
          .map(({ text }) => text);
  return [...told, ...before].flatMap(rulesOf).filter(({ text, objects }) => objects.size >= 3 && strict.test(text));
}

function lost(view: CheckView): Finding[] {
  const rules = ownRules(view);
  if (rules.length === 0) return [];
  const said = [view.task, view.memory, ...view.recent.flatMap((step) => [step.thought, ...step.feedback])].flatMap((text) =>
    text.slice(0, longestText).split("\n").map(contentWords),
  );
  return rules.flatMap(({ text, objects }): Finding[] => {
    const kept = said.some((words) => overlap(objects, words) >= 0.5 * objects.size);
    return kept ? [] : [{ words: text, why: "this rule is nowhere visible any more" }];
  });
}
const longestText = 40_000; // of each, as for rules

const factSeen = ({ kind, words }: Entity, seen: ReturnType<typeof seenOf>): boolean => {
  if (kind === "path") return pathSeen(words, seen);
  if (kind === "test") return testSeen(words, seen);
  if (kind === "number" || kind === "command") return seen.hasText(words);
  return symbolSeen(words, seen);
};

/** How much of the previous memory the new one still tells: distinct paths, symbols, commands, tests, error types and numbers. */
export interface Survival {
  readonly facts: number;
  readonly kept: number;
}

export function survivalOf(view: Pick<CheckView, "previousMemory" | "memory">): Survival {
  if (view.previousMemory === null) return { facts: 0, kept: 0 };
  const facts = new Map(
    linesOfMemory(view.previousMemory)
      .flatMap(entitiesOf)
      .map((entity) => [entity.words, entity]),
  );
  const seen = seenOf([seenText(view.memory)]);
  return { facts: facts.size, kept: [...facts.values()].filter((fact) => factSeen(fact, seen)).length };
}

export const drift: Check = (view) => {
  const known = knownOf(view);
  const rules = rulesOf(view.task);
  return {
    looked: rules.length + ownRules(view).length,
    findings: [...contradicted(rules, known), ...altered(rules, known), ...lost(view)],
  };
};
