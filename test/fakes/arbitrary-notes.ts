import fc from "fast-check";
import { attemptOutcomes, Entry, type MemoryNotes } from "../../schemas/memory-notes.ts";
import { arbitraryText } from "./arbitrary-trajectory.ts";

/** Entries that try to be taken for something else: headings, dashes, the word for nothing, outcomes. */
const tricky = fc.constantFrom("## Task", "# Task", "- a", "none noted.", "None noted", "failed: x", "worked:", "```", "1. x", "a: b", "*");

const arbitraryEntry: fc.Arbitrary<string> = fc.oneof(
  { weight: 1, arbitrary: tricky },
  {
    weight: 3,
    arbitrary: arbitraryText(120)
      .map((text) => text.replace(/[\n\v\f\r\u0085\u2028\u2029]+/g, " ").trim())
      .filter((text) => Entry.safeParse(text).success),
  },
);
const entries = fc.array(arbitraryEntry, { maxLength: 4 });

/** Any notes that a memory may hold. */
export const arbitraryNotes = (): fc.Arbitrary<MemoryNotes> =>
  fc.record({
    task: entries,
    completed: entries,
    attempts: fc.array(fc.record({ outcome: fc.constantFrom(...attemptOutcomes), text: arbitraryEntry }), { maxLength: 4 }),
    changes: entries,
    tests: entries,
    facts: entries,
    questions: entries,
    next: entries,
  });
