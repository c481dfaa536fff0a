import type { InsertionPoint, SignalScore } from "../../schemas/sidecars.ts";

/** Placement reckons with a thought of this size (81 tokens), so that whatever is said in the end fits: two sentences of some thirty. */
export const longestThought = "w ".repeat(80);

type Signal = "window-growth" | "subtask-completed" | "new-direction";

/**
 * Why, in words that hold whenever the signal speaks. The evidence itself is for people and not quoted: it names step numbers, which no
 * agent sees, and judges what it only saw pass or fail.
 */
const reasons: Record<Signal | "window", readonly string[]> = {
  "window-growth": [
    "The conversation has grown a lot.",
    "A good deal of output has piled up in my context.",
    "My context keeps growing with every command.",
    "Much of what I have read so far is only needed in outline.",
    "The raw output of the earlier steps takes up a lot of room.",
  ],
  "subtask-completed": [
    "This is a good point to take stock.",
    "I have reached a natural break in the work.",
    "The last steps have settled something, and the details before them matter less now.",
    "Things have moved on since I started.",
    "Before I go on, it is worth writing down where things stand.",
  ],
  "new-direction": [
    "The same kind of failure keeps coming back.",
    "Repeating this does not help.",
    "Several attempts in a row have failed alike.",
    "I am going round in circles here.",
    "These attempts are not getting me further.",
  ],
  window: [
    "There is little room left in my context.",
    "My context window is nearly full.",
    "The next steps may not fit beside everything I have collected.",
    "I am close to the limit of my context.",
    "My context is about to run out of room.",
  ],
};

const intentions: Record<Signal | "window", readonly string[]> = {
  "window-growth": [
    "I will condense the older part before I go on.",
    "Let me keep the essentials and let the raw logs go.",
    "I will fold the earlier steps into memory now.",
    "Time to summarise what I have learned so far.",
  ],
  "subtask-completed": [
    "I will write the progress into memory before I continue.",
    "Let me condense what led here and keep what still matters.",
    "I will fold the earlier steps into a summary now.",
    "Let me record what is done and what is open.",
  ],
  "new-direction": [
    "Before I try another way, I will note what was tried and how it failed.",
    "Let me record the failed attempts and step back.",
    "I will keep the lesson, drop the logs, and think again.",
    "Let me condense what I know and look at it afresh.",
  ],
  window: [
    "I will condense the older part now.",
    "I need to fold the earlier steps into memory to go on.",
    "Let me summarise the earlier work before I continue.",
    "I will keep what matters as a memory and drop the rest.",
  ],
};

/** The signal that speaks loudest; on a tie the first by name. */
const loudest = (found: readonly SignalScore[]): SignalScore | null =>
  [...found].sort((a, b) => b.score - a.score || (a.signal < b.signal ? -1 : 1))[0] ?? null;

const isKnown = (signal: string | undefined): signal is Signal =>
  signal !== undefined && signal !== "window" && Object.hasOwn(reasons, signal);

/**
 * The thought of a context call: twenty wordings per reason, so that the student learns the reason and not the phrase. `pick` is any whole
 * number that depends on trajectory and cut. Nothing is said about what comes next. Source: prior-systems 5, open point 9.
 */
export function contextThought(reason: InsertionPoint["reason"], found: readonly SignalScore[], pick: number): string {
  const signal = reason === "window" ? undefined : loudest(found)?.signal;
  const kind = isKnown(signal) ? signal : "window-growth";
  const key = reason === "window" ? "window" : kind;
  const why = reasons[key];
  const what = intentions[key];
  return `${why[pick % why.length]} ${what[Math.floor(pick / why.length) % what.length]}`;
}
