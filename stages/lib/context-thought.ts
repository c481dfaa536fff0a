import type { InsertionPoint, SignalScore } from "../../schemas/sidecars.ts";

/** Placement reckons with a thought of this size (81 tokens), so that whatever is said in the end fits: two sentences of some thirty. */
export const longestThought = "w ".repeat(80);

/** What a call can be about, as far as an agent can say it at the cut. `anything` holds at any cut: it says that there is a past, and no more. */
type Reason = "window" | "growth" | "unused" | "finished" | "boundary" | "failures" | "circles" | "anything";

/**
 * Which reason each signal gives. Several give the same, since not all that a signal knows can be said at the cut: what needs hindsight
 * (phase, files, plan, direction) is told by what lies before it. Signals that are not named here, such as a user's own, are `anything`.
 */
const reasonOf: ReadonlyMap<string, Reason> = new Map([
  ["window-occupancy", "growth"],
  ["sustained-growth", "growth"],
  ["falling-utilisation", "unused"],
  ["subtask-completed", "finished"],
  ["milestone", "finished"],
  ["phase-change", "boundary"],
  ["working-set-change", "boundary"],
  ["plan-step", "boundary"],
  ["repeated-failures", "failures"],
  ["direction-change", "failures"],
  ["loop", "circles"],
]);

/**
 * Why, in words that hold whenever the signal speaks. The evidence itself is for people and not quoted: it names step numbers, which no
 * agent sees, and judges what it only saw pass or fail. Nothing is said about what comes next.
 */
const reasons: Record<Reason, readonly string[]> = {
  window: [
    "There is little room left in my context.",
    "My context window is nearly full.",
    "The next steps may not fit beside everything I have collected.",
    "I am close to the limit of my context.",
    "My context is about to run out of room.",
  ],
  growth: [
    "The conversation has grown a lot.",
    "A good deal of output has piled up in my context.",
    "My context keeps growing.",
    "Much of what I have read so far is only needed in outline.",
    "The raw output of the earlier steps takes up a lot of room.",
  ],
  unused: [
    "I hardly use the older output any more.",
    "My latest steps rest on little of what I read earlier.",
    "Most of the older output in my context has served its purpose for now.",
    "What I looked at earlier plays little part in what I have been doing lately.",
    "The older steps take up room, and I have barely gone back to them.",
  ],
  finished: [
    "A piece of the work is behind me now.",
    "The last steps have moved the work forward.",
    "I have got somewhere, and the way there matters less now.",
    "The work has just taken a step forward.",
    "Something has been brought to a point where it can be noted down.",
  ],
  boundary: [
    "This is a good point to take stock.",
    "I have reached a natural break in the work.",
    "Things have moved on since I started.",
    "Before I go on, it is worth writing down where things stand.",
    "A stretch of work lies behind me.",
  ],
  failures: [
    "Some attempts have failed.",
    "More than one attempt has failed by now.",
    "Things have gone wrong more than once.",
    "Failed attempts are adding up.",
    "I have run into failures again.",
  ],
  circles: [
    "I am going round in circles here.",
    "I keep doing the same and keep seeing the same.",
    "Repeating this does not help.",
    "The same calls bring the same answers.",
    "Doing this again has shown me nothing new.",
  ],
  anything: [
    "There is a good deal behind me by now.",
    "I have done some work since I started.",
    "The earlier steps need not stay in full.",
    "This is a place where I can sum up.",
    "Some of what I have collected can be put more briefly.",
  ],
};

const neutral = [
  "I will condense the older part before I go on.",
  "Let me keep the essentials and let the raw logs go.",
  "I will fold the earlier steps into memory now.",
  "Time to summarise what I have learned so far.",
] as const;
const stocktaking = [
  "I will write the state of things into memory before I continue.",
  "Let me condense what led here and keep what still matters.",
  "I will fold the earlier steps into a summary now.",
  "Let me record what is done and what is open.",
] as const;
const lessons = [
  "Before I go on, I will note what was tried and how it failed.",
  "Let me record the failed attempts and step back.",
  "I will keep the lesson, drop the logs, and think again.",
  "Let me condense what I know and look at it afresh.",
] as const;

const intentions: Record<Reason, readonly string[]> = {
  window: [
    "I will condense the older part now.",
    "I need to fold the earlier steps into memory to go on.",
    "Let me summarise the earlier work before I continue.",
    "I will keep what matters as a memory and drop the rest.",
  ],
  growth: neutral,
  unused: neutral,
  finished: stocktaking,
  boundary: stocktaking,
  failures: lessons,
  circles: [
    "Let me note what this has shown and step back.",
    "I will sum up what I know before I do anything else.",
    "I will keep what I learned, drop the logs, and think again.",
    "Let me condense what I know and look at it afresh.",
  ],
  anything: neutral,
};

/** The signal that speaks loudest; on a tie the first by name. */
const loudest = (found: readonly SignalScore[]): SignalScore | null =>
  [...found].sort((a, b) => b.score - a.score || (a.signal < b.signal ? -1 : 1))[0] ?? null;

/**
 * The thought of a context call: twenty wordings per reason, so that the student learns the reason and not the phrase. `pick` is any whole
 * number that depends on trajectory and cut. Nothing is said about what comes next. Source: prior-systems 5, open point 9.
 */
export function contextThought(reason: InsertionPoint["reason"], found: readonly SignalScore[], pick: number): string {
  const key = reason === "window" ? "window" : (reasonOf.get(loudest(found)?.signal ?? "") ?? "anything");
  const why = reasons[key];
  const what = intentions[key];
  return `${why[pick % why.length]} ${what[Math.floor(pick / why.length) % what.length]}`;
}
