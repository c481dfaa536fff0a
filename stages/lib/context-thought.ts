import type { InsertionPoint, SignalScore } from "../../schemas/sidecars.ts";

/** Longest evidence quoted in a thought, bytes as the tokenizer sees them: no script makes more tokens than bytes. Longer lines are left out. */
const longestEvidence = 160;
const bytes = (text: string): number => new TextEncoder().encode(text.normalize("NFC")).length;
const isQuotable = (line: string): boolean => line.length <= longestEvidence && bytes(line) <= longestEvidence && !/[\r\n]/.test(line);

/** Placement reckons with a thought of this size (201 tokens), so that whatever is said in the end fits: a phrase has some thirty, its evidence 160. */
export const longestThought = "w ".repeat(200);

type Signal = "window-growth" | "subtask-completed" | "new-direction";

/** Several ways to say why, so that the student learns the reason and not the phrase. None says anything about what comes next. */
const phrases: Record<Signal | "window", readonly string[]> = {
  "window-growth": [
    "The conversation has grown a lot. I will condense the older part before I go on.",
    "A good deal of output has piled up; the details from earlier on can be folded into memory now.",
    "My context keeps growing. Time to keep the essentials and let the raw logs go.",
  ],
  "subtask-completed": [
    "That piece of work is done. I will write it into memory before starting the next one.",
    "This is a good point to take stock: one part is finished, and its details need not stay in full.",
    "A milestone is reached. Let me condense what led here and keep what still matters.",
  ],
  "new-direction": [
    "The same failure keeps coming back. Before trying another way I will note what was tried and how it failed.",
    "Repeating this does not help. Let me record the failed attempts and step back.",
    "Several attempts have failed alike. I will keep the lesson, drop the logs, and then think again.",
  ],
  window: [
    "There is little room left in my context. I will condense the older part now.",
    "The window is nearly full; I need to fold the earlier steps into memory to go on.",
  ],
};

/** The signal that speaks loudest; on a tie the first by name. */
const loudest = (found: readonly SignalScore[]): SignalScore | null =>
  [...found].sort((a, b) => b.score - a.score || (a.signal < b.signal ? -1 : 1))[0] ?? null;

/**
 * The thought of a context call, from the evidence at its cut alone. `pick` is any number that depends on trajectory and cut; it chooses
 * the wording. Source: prior-systems 5, open point 9 (state why, varied, no hindsight).
 */
export function contextThought(reason: InsertionPoint["reason"], found: readonly SignalScore[], pick: number): string {
  const top = reason === "window" ? null : loudest(found);
  const choices = phrases[(top?.signal as Signal | undefined) ?? "window"] ?? phrases.window;
  const phrase = choices[pick % choices.length] ?? "";
  const evidence = top?.evidence.find(isQuotable);
  return top?.signal !== "window-growth" && evidence !== undefined ? `${phrase} (${evidence})` : phrase;
}
