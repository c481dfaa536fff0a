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

/** Shorter names are too common to stand for the end of a path. */
const isLong = (word: string): boolean => word.length > 3;

/** What stands behind each slash of a path: `rm -rf build` of a whole path. */
function tailsOf(word: string): string[] {
  const tails: string[] = [];
  for (let at = word.indexOf("/"); at >= 0; at = word.indexOf("/", at + 1)) tails.push(word.slice(at + 1));
  return tails;
}

/** A word that a claim has, and when it counts as one of a line. */
interface ClaimedWord {
  readonly word: string;
  /** May be the end of a path. */
  readonly mayEnd: boolean;
  /** May be an option or variable that is given a value: `--opt` of `--opt=1`. */
  readonly mayOpen: boolean;
  /** Ends of it that count for it when they were typed. */
  readonly ends: readonly string[];
}

/** Words of a command that a memory tells. */
export interface ClaimedWords {
  readonly all: readonly ClaimedWord[];
  /** Those that are no path: what is left of the claim where the line has placeholders. */
  readonly rigid: readonly string[];
}

export function claimedWords(words: readonly string[]): ClaimedWords {
  const all = words.map((word): ClaimedWord => {
    const isPath = /[/.]/.test(word);
    const ends = isPath && !word.startsWith("..") ? tailsOf(word) : [];
    return { word, mayEnd: isPath || isLong(word), mayOpen: isLong(word), ends };
  });
  return { all, rigid: words.filter((word) => !/\w[/.]\w/.test(word)) };
}

/** Words of a line that was typed or told, to be asked for many claims. */
export class LineWords {
  private readonly hasPlaceholder: boolean;
  private readonly exact: ReadonlySet<string>;
  private parts: { readonly ends: ReadonlySet<string>; readonly opens: ReadonlySet<string> } | null = null;

  constructor(line: string) {
    this.exact = new Set(commandWords(line));
    this.hasPlaceholder = [...this.exact].some((word) => word.includes("path/to/"));
  }

  /** Has the line all of them? One with placeholders (`git diff -- path/to/file`) lacks no file. */
  hasAll({ all, rigid }: ClaimedWords): boolean {
    if (rigid.length >= 2 && this.hasPlaceholder) return rigid.every((word) => this.exact.has(word));
    return all.every((claimed) => this.has(claimed));
  }

  private has({ word, mayEnd, mayOpen, ends }: ClaimedWord): boolean {
    if (this.exact.has(word)) return true;
    if (!mayEnd) return false;
    this.parts ??= this.split();
    return this.parts.ends.has(word) || (mayOpen && this.parts.opens.has(word)) || ends.some((end) => this.exact.has(end));
  }

  private split(): NonNullable<LineWords["parts"]> {
    const [ends, opens] = [new Set<string>(), new Set<string>()];
    for (const word of this.exact) {
      for (const end of tailsOf(word)) ends.add(end);
      for (let at = word.indexOf("="); at >= 0; at = word.indexOf("=", at + 1)) opens.add(word.slice(0, at));
    }
    return { ends, opens };
  }
}

const typedWords = new WeakMap<Deed["call"], LineWords>();
function wordsTyped(deed: Deed): LineWords {
  const known = typedWords.get(deed.call);
  if (known !== undefined) return known;
  const words = new LineWords(deed.line.slice(0, 6_000));
  typedWords.set(deed.call, words);
  return words;
}

/** Deeds whose command has all the words of the claim. */
export function deedsOfCommand(claim: string, deeds: readonly Deed[]): Deed[] {
  const claimed = claimedWords(commandWords(claim.replace(/<[\w -]{1,40}>|\{[\w -]{1,40}\}/g, " ")));
  return claimed.all.length === 0 ? [] : deeds.filter((deed) => wordsTyped(deed).hasAll(claimed));
}
