import type { Trajectory } from "../../../schemas/trajectory.ts";
import { type PlaceholderKind, placeholderOf, placeholdersIn } from "../../lib/secrets/placeholder.ts";
import { shareOf } from "./conduct.ts";

/** Oddities of language and encoding, and what was scrubbed. All texts of the run, as imported: task, turns, arguments, answers, feedback. */

/** A text of the run, and where it stands. */
interface PlacedText {
  /** From 0; null: in the task or the patch. */
  readonly step: number | null;
  readonly text: string;
}
/** Characters counted in a text of the run. */
export interface Counted extends PlacedText {
  readonly count: number;
  /** Where the first of them stands in the text. */
  readonly first: number;
}

function ofRun({ task, steps }: Trajectory): PlacedText[] {
  const texts: PlacedText[] = [];
  const add = (step: number | null, text: string | null): void => void (text !== null && texts.push({ step, text }));
  add(null, task.system);
  add(null, task.prompt);
  steps.forEach(({ thought, calls, feedback }, step) => {
    add(step, thought);
    for (const call of calls) {
      add(step, call.arguments);
      add(step, call.result);
    }
    for (const text of feedback) add(step, text);
  });
  return texts;
}

/** Most texts hold nothing but these, and need no second look. */
const plain = /^[\t\n\r\x20-\x7e]*$/;

const known = new WeakMap<Trajectory, readonly PlacedText[]>();
/** Texts with any other character. */
function oddTexts(trajectory: Trajectory): readonly PlacedText[] {
  const there = known.get(trajectory);
  if (there !== undefined) return there;
  const texts = ofRun(trajectory).filter(({ text }) => !plain.test(text));
  known.set(trajectory, texts);
  return texts;
}

/** Scripts that languages are told apart by; Han, Hiragana and Katakana are one, since Japanese mixes them. */
const scripts: readonly (readonly [string, RegExp])[] = [
  ["latin", /\p{Script=Latin}/u],
  ["east-asian", /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Bopomofo}]/u],
  ["hangul", /\p{Script=Hangul}/u],
  ["cyrillic", /\p{Script=Cyrillic}/u],
  ["greek", /\p{Script=Greek}/u],
  ["arabic", /\p{Script=Arabic}/u],
  ["hebrew", /\p{Script=Hebrew}/u],
  ["devanagari", /\p{Script=Devanagari}/u],
  ["thai", /\p{Script=Thai}/u],
];
const beyondAscii = /[^\p{ASCII}]/u;
const scriptOf = (letter: string): string => scripts.find(([, pattern]) => pattern.test(letter))?.[0] ?? "other";

/** Letters of a text by script. What is ASCII is not looked at letter by letter. */
function addLetters(text: string, counts: Map<string, number>): void {
  const add = (script: string, count: number): void => void counts.set(script, (counts.get(script) ?? 0) + count);
  let ascii = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at) | 32; // lower case
    if (code >= 97 && code <= 122) ascii += 1;
  }
  add("latin", ascii);
  if (beyondAscii.test(text)) for (const [letter] of text.matchAll(/[^\p{ASCII}]/gu)) if (/\p{L}/u.test(letter)) add(scriptOf(letter), 1);
}

/** Where the first letter beyond ASCII of such a script stands. */
function firstLetter(text: string, wanted: (script: string) => boolean): number {
  for (const { 0: letter, index } of text.matchAll(/[^\p{ASCII}]/gu)) if (/\p{L}/u.test(letter) && wanted(scriptOf(letter))) return index;
  return 0;
}

const sumOf = (numbers: Iterable<number>): number => [...numbers].reduce((sum, number) => sum + number, 0);

/** A script with this share of the task's letters is one of its own. Our choice: less is a name, or a quoted message. */
const ownScript = 0.1;

/** Letters in the agent's visible text, and the steps that have any in a script which the task is not written in. */
export interface Foreign {
  readonly letters: number;
  readonly places: readonly Counted[];
}

/** Latin is always allowed, since code is. */
export function foreignLetters({ task, steps }: Trajectory): Foreign {
  const asked = new Map<string, number>();
  addLetters(task.issue ?? task.prompt, asked);
  const inTask = sumOf(asked.values());
  const isOwn = (script: string): boolean => script === "latin" || (asked.get(script) ?? 0) >= ownScript * Math.max(1, inTask);
  let letters = 0;
  const places: Counted[] = [];
  steps.forEach(({ thought }, step) => {
    const said = new Map<string, number>();
    addLetters(thought, said);
    letters += sumOf(said.values());
    const count = sumOf([...said].filter(([script]) => !isOwn(script)).map(([, number]) => number));
    if (count > 0) places.push({ step, text: thought, count, first: firstLetter(thought, (script) => !isOwn(script)) });
  });
  return { letters, places };
}

/** Share of the letters in the agent's visible text, 0..1, that are in a script which the task is not written in. null: it writes no letter. */
export function foreignScriptShare(trajectory: Trajectory): number | null {
  const { letters, places } = foreignLetters(trajectory);
  return shareOf(sumOf(places.map(({ count }) => count)), letters);
}

/** UTF-8 read as Windows-1252 or Latin-1: `Ã©`, `â€™`, `Â·`. */
const mojibake =
  /Ã[\u0080-\u00bf\u0192\u2018-\u201e\u2020-\u2022\u2026\u2030\u2039\u203a\u20ac\u2122]|â(?:€[\u0080-\u00bf\u0153\u0161\u017e\u02dc\u2018-\u201e\u2020-\u2022\u2026\u2122]|\u0080[\u0080-\u00bf])|Â[\u00a0-\u00bf]/g;
const loneSurrogate = /\p{Surrogate}/gu;

/** Places of what any of the patterns finds in the texts, as one count per text. */
const countedIn = (texts: readonly PlacedText[], patternsFor: (text: string) => readonly RegExp[]): Counted[] =>
  texts.flatMap(({ step, text }) => {
    let [count, first] = [0, text.length];
    for (const pattern of patternsFor(text)) {
      const found = text.match(pattern)?.length ?? 0;
      if (found === 0) continue;
      count += found;
      first = Math.min(first, text.search(pattern));
    }
    return count === 0 ? [] : [{ step, text, count, first }];
  });
const totalOf = (places: readonly Counted[]): number => places.reduce((sum, { count }) => sum + count, 0);

/** Characters that no longer say what was written: U+FFFD, lone surrogates, and UTF-8 that was read as something else. */
export const brokenPlaces = (trajectory: Trajectory): Counted[] =>
  countedIn(oddTexts(trajectory), (text) => [
    ...(text.includes("\ufffd") ? [/\ufffd/g] : []),
    ...(text.isWellFormed() ? [] : [loneSurrogate]),
    ...(text.includes("Ã") || text.includes("â") || text.includes("Â") ? [mojibake] : []),
  ]);
export const brokenCharacters = (trajectory: Trajectory): number => totalOf(brokenPlaces(trajectory));

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const control = /\u001b(?:\[[0-9;?]{0,20}[A-Za-z])?|[\u0000-\u0008\u000b\u000c\u000e-\u001a\u001c-\u001f\u007f-\u009f]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above
const anyControl = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/;

/** Control characters other than tab and line ends; an escape sequence of a terminal (a colour) counts once. */
export const controlPlaces = (trajectory: Trajectory): Counted[] =>
  countedIn(oddTexts(trajectory), (text) => (anyControl.test(text) ? [control] : []));
export const controlCharacters = (trajectory: Trajectory): number => totalOf(controlPlaces(trajectory));

/** By placeholder, the step from 0 where it comes first (null: task, patch). */
type Scrubbed = ReadonlyMap<string, number | null>;
const scrubbedIn = new WeakMap<Trajectory, Readonly<Record<PlaceholderKind, Scrubbed>>>();

/** Where each distinct value that placeholders of a kind stand for comes first: secrets, or what would tell who somebody is. */
export function scrubbedPlaces(trajectory: Trajectory, kind: PlaceholderKind): Scrubbed {
  const there = scrubbedIn.get(trajectory);
  if (there !== undefined) return there[kind];
  const values = { SECRET: new Map<string, number | null>(), PERSONAL: new Map<string, number | null>() };
  for (const { step, text } of [...ofRun(trajectory), { step: null, text: trajectory.outcome.patch ?? "" }])
    for (const { kind, type, number } of placeholdersIn(text)) {
      const value = placeholderOf(kind, type, number);
      if (!values[kind].has(value)) values[kind].set(value, step);
    }
  scrubbedIn.set(trajectory, values);
  return values[kind];
}
export const scrubbedSecrets = (trajectory: Trajectory): number => scrubbedPlaces(trajectory, "SECRET").size;
export const scrubbedPersonalValues = (trajectory: Trajectory): number => scrubbedPlaces(trajectory, "PERSONAL").size;
