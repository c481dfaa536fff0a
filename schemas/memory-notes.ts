import { z } from "zod";

/**
 * What a memory holds, typed. The text that the agent sees is rendered from it and parsed back to it (`stages/lib/memory-text`), so that
 * one entry is one bullet. Source: the list in CAT 2.4 (3), with tests, questions and next steps of their own.
 */

/** How an attempt ended. `ran`: it was carried out, and nothing that was seen tells whether it helped. */
export const attemptOutcomes = ["worked", "partly", "failed", "ran"] as const;
export const AttemptOutcome = z.enum(attemptOutcomes);
export type AttemptOutcome = z.infer<typeof AttemptOutcome>;

/** What a section without entries says; no entry may say it. */
export const nothingNoted = "none noted";

/** One line without blanks at its ends: what a bullet can hold. Line ends are those of Unicode, since a model may write any of them. */
export const Entry = z
  .string()
  .regex(/^\S(?:[^\n\v\f\r\u0085\u2028\u2029]*\S)?$/u, "expected one line without blanks at its ends")
  .refine((text) => text !== nothingNoted, `expected an entry other than ${JSON.stringify(nothingNoted)}`);
export type Entry = z.infer<typeof Entry>;

/** Something tried: what, how often, and the words it ended with. */
export const Attempt = z.strictObject({ outcome: AttemptOutcome, text: Entry });
export type Attempt = z.infer<typeof Attempt>;

export const MemoryNotes = z.strictObject({
  /** What the task asks for, as understood by now. */
  task: z.array(Entry),
  /** Subtasks that are done. */
  completed: z.array(Entry),
  attempts: z.array(Attempt),
  /** Changes of the environment that still stand: files, packages, processes. */
  changes: z.array(Entry),
  /** The last state of the tests: command, counts, names of what fails. */
  tests: z.array(Entry),
  /** Paths, symbols, lines, commands, errors and rules that later decisions hang on, word for word. */
  facts: z.array(Entry),
  questions: z.array(Entry),
  /** What to do next, with exact paths, symbols and commands. */
  next: z.array(Entry),
});
export type MemoryNotes = z.infer<typeof MemoryNotes>;
export type MemoryPart = keyof MemoryNotes;
