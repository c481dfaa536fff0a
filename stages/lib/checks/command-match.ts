import { pathOf } from "./entities.ts";
import type { Deed } from "./runs.ts";

/** Commands as sets of words: a command told again is often shorter than the one that was typed, and never has words of its own. */

/** Words that shape output or only get there. */
const plumbing = new Set([
  "cd",
  "&&",
  "||",
  "|",
  ";",
  "2>&1",
  "2>/dev/null",
  ">",
  "tail",
  "head",
  "python",
  "python3",
  "-m",
  "sudo",
  "env",
  "bash",
  "sh",
  "-c",
  "$",
  "…",
  "...",
  "[...]",
]);

/** Words of a command line for comparison: without quotes, `./` and plumbing. */
export function commandWords(line: string): string[] {
  return line
    .toLowerCase()
    .replace(/\\\n|\\n/g, " ")
    .split(/[\s"'`();]+/)
    .map((word) => pathOf(word.replace(/^\$\(|,$/g, "")))
    .filter((word) => word !== "" && !plumbing.has(word) && !/^[<>|&]+$|^-\d+$|^…$/.test(word));
}

const sameWord = (claimed: string, typed: string): boolean =>
  claimed === typed ||
  (claimed.length > 3 && typed.endsWith(`/${claimed}`)) || // `rm -rf build` of a whole path
  (/[/.]/.test(claimed) && (typed.endsWith(`/${claimed}`) || (claimed.endsWith(`/${typed}`) && !claimed.startsWith("..")))) ||
  (claimed.length > 3 && typed.startsWith(`${claimed}=`));

const placeholder = /path\/to\//;

/** Words of the claim that the line lacks; a line with placeholders (`git diff -- path/to/file`) lacks no file. */
export function missingWords(claimed: readonly string[], typed: readonly string[]): string[] {
  const exact = new Set(typed);
  const rigid = claimed.filter((word) => !/\w[/.]\w/.test(word));
  if (rigid.length >= 2 && typed.some((word) => placeholder.test(word))) return rigid.filter((word) => !exact.has(word));
  return claimed.filter((word) => !exact.has(word) && !typed.some((one) => sameWord(word, one)));
}

const typedWords = new WeakMap<Deed["call"], readonly string[]>();
export function wordsTyped(deed: Deed): readonly string[] {
  const known = typedWords.get(deed.call);
  if (known !== undefined) return known;
  const words = commandWords(deed.line.slice(0, 6_000));
  typedWords.set(deed.call, words);
  return words;
}

/** Deeds whose command has all the words of the claim. */
export function deedsOfCommand(claim: string, deeds: readonly Deed[]): Deed[] {
  const claimed = commandWords(claim.replace(/<[\w -]{1,40}>|\{[\w -]{1,40}\}/g, " "));
  return claimed.length === 0 ? [] : deeds.filter((deed) => missingWords(claimed, wordsTyped(deed)).length === 0);
}
