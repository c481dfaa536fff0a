import type { Trajectory } from "../../../schemas/trajectory.ts";
import { placeholdersIn } from "../../lib/secrets/placeholder.ts";
import { shareOf } from "./conduct.ts";

/** Oddities of language and encoding, and what was scrubbed. All texts of the run, as imported: task, turns, arguments, answers, feedback. */

const ofRun = ({ task, steps }: Trajectory): string[] => [
  ...(task.system === null ? [] : [task.system]),
  task.prompt,
  ...steps.flatMap(({ thought, calls, feedback }) => [
    thought,
    ...calls.flatMap((call) => (call.result === null ? [call.arguments] : [call.arguments, call.result])),
    ...feedback,
  ]),
];

/** Most texts hold nothing but these, and need no second look. */
const plain = /^[\t\n\r\x20-\x7e]*$/;

const known = new WeakMap<Trajectory, readonly string[]>();
/** Texts with any other character. */
function oddTexts(trajectory: Trajectory): readonly string[] {
  const there = known.get(trajectory);
  if (there !== undefined) return there;
  const texts = ofRun(trajectory).filter((text) => !plain.test(text));
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

/** A script with this share of the task's letters is one of its own. Our choice: less is a name, or a quoted message. */
const ownScript = 0.1;

/**
 * Share of the letters in the agent's visible text, 0..1, that are in a script which the task is not written in; Latin is always allowed, since
 * code is. null: the agent writes no letter.
 */
export function foreignScriptShare({ task, steps }: Trajectory): number | null {
  const asked = new Map<string, number>();
  addLetters(task.issue ?? task.prompt, asked);
  const inTask = [...asked.values()].reduce((sum, count) => sum + count, 0);
  const said = new Map<string, number>();
  for (const { thought } of steps) addLetters(thought, said);
  const isOwn = (script: string): boolean => script === "latin" || (asked.get(script) ?? 0) >= ownScript * Math.max(1, inTask);
  let [all, foreign] = [0, 0];
  for (const [script, count] of said) {
    all += count;
    if (!isOwn(script)) foreign += count;
  }
  return shareOf(foreign, all);
}

/** UTF-8 read as Windows-1252 or Latin-1: `Ã©`, `â€™`, `Â·`. */
const mojibake =
  /Ã[\u0080-\u00bf\u0192\u2018-\u201e\u2020-\u2022\u2026\u2030\u2039\u203a\u20ac\u2122]|â(?:€[\u0080-\u00bf\u0153\u0161\u017e\u02dc\u2018-\u201e\u2020-\u2022\u2026\u2122]|\u0080[\u0080-\u00bf])|Â[\u00a0-\u00bf]/g;
const loneSurrogate = /\p{Surrogate}/gu;

const countOf = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;

/** Characters that no longer say what was written: U+FFFD, lone surrogates, and UTF-8 that was read as something else. */
export const brokenCharacters = (trajectory: Trajectory): number =>
  oddTexts(trajectory).reduce((sum, text) => {
    const replaced = text.includes("\ufffd") ? countOf(text, /\ufffd/g) : 0;
    const lone = text.isWellFormed() ? 0 : countOf(text, loneSurrogate);
    const misread = text.includes("Ã") || text.includes("â") || text.includes("Â") ? countOf(text, mojibake) : 0;
    return sum + replaced + lone + misread;
  }, 0);

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const control = /\u001b(?:\[[0-9;?]{0,20}[A-Za-z])?|[\u0000-\u0008\u000b\u000c\u000e-\u001a\u001c-\u001f\u007f-\u009f]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above
const anyControl = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/;

/** Control characters other than tab and line ends; an escape sequence of a terminal (a colour) counts once. */
export const controlCharacters = (trajectory: Trajectory): number =>
  oddTexts(trajectory).reduce((sum, text) => sum + (anyControl.test(text) ? countOf(text, control) : 0), 0);

/** Distinct secrets and personal values that placeholders stand for. */
export function scrubbedValues(trajectory: Trajectory): number {
  const values = new Set<string>();
  for (const text of [...ofRun(trajectory), trajectory.outcome.patch ?? ""])
    for (const { kind, type, number } of placeholdersIn(text)) values.add(`${kind}:${type}:${number}`);
  return values.size;
}
