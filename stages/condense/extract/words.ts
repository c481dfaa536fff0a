import { shortened } from "../../lib/commands/actions.ts";
import { oneLine } from "../../lib/memory-text.ts";

/** Sentences and names in what the agent says. */

const longestThought = 6_000;
const longestSentence = 260;

/** A long text by its beginning and end. */
export const edges = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most / 2)}\n${text.slice(-most / 2)}`;

/** Sentences of a thought, one line each, without code blocks, list marks and headings. */
export function sentencesOf(thought: string): string[] {
  const sentences: string[] = [];
  let fenced = false;
  for (const raw of edges(thought, longestThought).split(/[\n\u2028\u2029]/)) {
    if (/^\s*(?:```|~~~)/.test(raw)) fenced = !fenced;
    else if (!fenced && !/^\s{4,}\S/.test(raw)) {
      const line = oneLine(raw.replace(/^\s*(?:#{1,6}\s|[-*•>]\s|\d{1,3}[.)]\s|THOUGHT:\s|DISCUSSION\s)+/, "")).replace(/\*\*/g, "");
      for (const sentence of line.split(/(?<=[.!?])\s+(?=[\p{Lu}`"'(\d])/u)) if (sentence.length >= 12) sentences.push(sentence);
    }
  }
  return sentences;
}

const intent =
  /^(?:(?:ok(?:ay)?|great|perfect|good|now|so|but|and|actually|next|first|then|alright|finally|wait|hmm)[,.!: ]+){0,4}(?:let me|let's|let us|i'll|i will|i'm going to|i am going to|i need to|i should|i want to|i can|we need to|we can|we should|we'll|start by|looking at|look at)\b/i;
const finding =
  /\b(?:found|issues?|bugs?|problems?|root cause|because|caused?|causes|fix(?:ed|es)?|works?|working|confirm(?:ed|s)|pass(?:es|ed)?|fail(?:s|ed|ing|ure)?|however|instead|missing|incorrect(?:ly)?|wrong|expected|actual(?:ly)?|returns?|raises?|defined|called|reproduced?|successfully|already|doesn't|isn't|aren't|does not|is not)\b/gi;
const constraint =
  /\b(?:must(?: not)?|should(?: not|n't)|cannot|can't|never|always|only (?:if|when|for)|requires?d?|constraint|important(?:ly)?|note that|make sure|backwards?[- ]compatib\w+|without breaking)\b/i;
const remaining =
  /\b(?:still (?:need|have|fails?|failing)|remain(?:s|ing)|to-?do\b|next step|haven't|not yet|also need|need to (?:also|still)|then i(?:'ll| will| need)|after that|what(?:'s| is) left)\b/i;
const name = /`[^`\n]{2,80}`|\b\w+(?:[._/]\w+)+\b|\b[a-z]+[A-Z]\w*\b|\b\w+\(\)/;

/** Words for finished work; of those in the second group only what the agent says it did itself. */
const done =
  /\b(?:fixed|pass(?:es|ed)?|works|working|successfully|reproduced|completed|resolved|verified)\b|\b(?:I|we|I've|we've|have|has been|now) (?:(?:also|now|just|have|been) ){0,2}(?:implemented|added|created|updated|removed|changed|replaced|wrote|written)\b/i;
const undone = /\b(?:not|n't|fail(?:s|ed|ing)?|without|how|when|if|only|still|never|was|were|should|supposed|seems?|must|passed to)\b/i;

export const isIntent = (sentence: string): boolean => intent.test(sentence);
export const isConstraint = (sentence: string): boolean => constraint.test(sentence) && !isIntent(sentence);
/** Does the agent say that a piece of work is done? What may be a finding about the code instead is none. */
export const isDone = (sentence: string): boolean => done.test(sentence) && !undone.test(sentence) && !isIntent(sentence);
export const isRemaining = (sentence: string): boolean => remaining.test(sentence);

/** 0..1: does the sentence say something found out, rather than what comes next? */
export function importance(sentence: string): number {
  const words = new Set([...sentence.matchAll(finding)].map((found) => found[0].toLowerCase()));
  const told = Math.min(words.size, 3) * 0.2;
  const named = name.test(sentence) ? 0.25 : 0;
  const size = sentence.length < 30 || sentence.length > 400 ? -0.25 : 0;
  return Math.max(0, Math.min(1, told + named + size - (isIntent(sentence) ? 0.4 : 0) - (sentence.endsWith("?") ? 0.3 : 0)));
}

/** The sentence as a bullet: shortened, without the colon that led to a call. */
export const asBullet = (sentence: string): string => shortened(sentence.replace(/\s*[:：]$/, ""), longestSentence);

/** Words of the tools, not of the code. */
const toolWords = new Set(["str_replace", "undo_edit", "end_of_edit", "old_str", "new_str", "file_text", "view_range", "insert_line"]);

/** Names of code in a text: paths, dotted and underscored names, mixed case, backticked words. 4 to 120 characters each (3 between backticks), at most 400. */
export function namesIn(text: string): Set<string> {
  const names = new Set<string>();
  for (const found of edges(text, 20_000).matchAll(
    /`([^`\s]{3,80})`|(?:\.{0,2}\/)?\b[A-Za-z_][\w-]*(?:[./][\w-]+)+|\b_*[a-z\d]+_\w+|\b[A-Z]?[a-z]+[A-Z]\w*/g,
  )) {
    const one = (found[1] ?? found[0]).replace(/[().,:;]+$/g, "");
    if (one.length >= (found[1] === undefined ? 4 : 3) && one.length <= 120 && !toolWords.has(one)) names.add(one);
    if (names.size >= 400) break;
  }
  return names;
}
