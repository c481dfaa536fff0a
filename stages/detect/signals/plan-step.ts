import { quoted } from "../evidence.ts";
import type { StepFacts } from "../facts.ts";
import { nothing, type Said, type WholeSignal } from "./signal.ts";

/** Characters of a turn in which it says what it begins. */
const beginning = 1_500;

/** `## Phase 4. TEST CREATION`, `Step 3: Implement`, `**2. Fix the parser**`; the number tells one item of a plan from the next. */
const heading =
  /^[ \t]{0,4}(?:#{1,4}[ \t]{0,3})?(?:\*\*)?(?:(?:Step|Phase|Stage|Part|Task)[ \t]{1,3}(\d{1,3}(?:\.\d{1,2})?)\b|(?<=#[ \t]{1,3}(?:\*\*)?)(\d{1,3}(?:\.\d{1,2})?)[.):])[^\n]{0,160}/im;
/** Words with which a turn leaves one piece of work for the next. */
const transition =
  /(?:^|[.!\n]\s{0,3}|>\s{0,3}|THOUGHT:\s{0,3})(?:(?:Now that (?:I|we)|Next,|Next step|Finally,|With (?:that|this) (?:done|in place|fixed)|Moving on)\b|(?:Now|Next)[, ]{1,2}(?:let's|let me|I'll|I will|I need to|I should|we need to) (?:also )?(?:implement|create|write|make|fix|modify|update|run|test|verify|reproduce|clean|add|submit|finali[sz]e|remove)\b)[^.\n]{0,160}/;
/** Words that close a piece of work; they count together with a new kind of work only. */
const closing =
  /(?:^|\n|>\s{0,3}|THOUGHT:\s{0,3})(?:Great|Perfect|Excellent)[!,.]|\b(?:I|we)(?:'ve| have)? (?:now )?(?:understand|found|identified|located|reproduced|confirmed|successfully|fixed|implemented|completed)\b/i;

function numbered(said: string, begun: Set<string>): Said {
  const found = heading.exec(said.slice(0, beginning));
  const number = found?.[1] ?? found?.[2];
  if (found === null || number === undefined || begun.has(number)) return nothing;
  begun.add(number);
  return { score: 0.9, evidence: [`the next turn begins a numbered step: ${quoted(found[0].trim())}`] };
}

function said(text: string, newWork: boolean): Said {
  const opening = text.slice(0, beginning);
  const moves = transition
    .exec(opening)?.[0]
    .replace(/^[.!>\s]{0,6}/, "")
    .trim();
  const closes = closing.exec(opening)?.[0].trim();
  if (!newWork) return nothing;
  if (moves !== undefined) return { score: closes === undefined ? 0.7 : 0.8, evidence: [`the next turn says: ${quoted(moves)}`] };
  return closes !== undefined ? { score: 0.6, evidence: [`the next turn looks back: ${quoted(closes)}`] } : nothing;
}

/** Kinds of work of a step; another one than the step before has makes words about the plan credible. */
const isNewWork = (before: StepFacts, next: StepFacts): boolean => next.phase !== null && before.phase !== next.phase;

/**
 * The next turn says that it begins another step of its plan. 0.9 at a numbered heading ("## Phase 4", "Step 3:") whose number is new; 0.8
 * and 0.7 where words of transition ("Now let me implement ...") come with another kind of work, with and without words that close what came
 * before; 0.6 for closing words ("Great! ...", "I have found ...") with another kind of work; else 0.
 * Needs hindsight, since agents say it in the turn that begins the step. Source: CAT 2.4 (1), structural boundaries.
 */
export const planStep: WholeSignal = {
  family: "boundary",
  sees: "whole",
  survey: (_setting, steps) => {
    const begun = new Set<string>();
    const found = steps.map((next, index) => {
      const before = steps[index - 1];
      const heading = numbered(next.said, begun);
      return heading.score > 0 || before === undefined ? heading : said(next.said, isNewWork(before, next));
    });
    return (cut) => (cut > 0 ? (found[cut] ?? nothing) : nothing);
  },
};
