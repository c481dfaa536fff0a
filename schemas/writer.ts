import { z } from "zod";
import { ReplyTransport } from "./completion.ts";
import { Digest } from "./trajectory.ts";

/** What was mended in a reply, by rule and without a model, before it was a memory. */
export const MemoryRepair = z.enum([
  /** Reasoning that the server left in the text was taken off. */
  "reasoning",
  /** Lines of a code fence were taken off. */
  "fence",
  /** Words before the first section were taken off. */
  "preamble",
  /** A heading had another level, case, number or mark. */
  "heading",
  "section-order",
  /** A section that was left out says now that nothing is noted. */
  "section-added",
  /** A line was no bullet, or one of another mark or depth. */
  "bullet",
  /** Lines that belong to one bullet were joined, or blanks were collapsed. */
  "one-line",
  /** Other words for "nothing noted", or the words beside a bullet. */
  "nothing-noted",
  /** An attempt had another word for its outcome, or none: then it counts as `ran`. */
  "outcome",
]);
export type MemoryRepair = z.infer<typeof MemoryRepair>;

/** Who wrote the thought of a context call; `why`: what spoke against the model's words, null where the templates were wanted. */
export const ThoughtWriter = z.discriminatedUnion("by", [
  z.strictObject({ by: z.literal("llm"), model: z.string(), request: Digest }),
  z.strictObject({ by: z.literal("template"), why: z.string().nullable() }),
]);
export type ThoughtWriter = z.infer<typeof ThoughtWriter>;

/** What wrote a memory. Every row says it, so that built-in text is never taken for a model's. Thoughts beside `extractive` are templates. */
export const Writer = z.discriminatedUnion("condenser", [
  z.strictObject({ condenser: z.literal("extractive"), version: z.int().positive() }),
  z.strictObject({
    condenser: z.literal("llm"),
    model: z.string(),
    /** Digest of the canonical request (of the last piece's); with the same endpoint settings it finds the reply in the cache. */
    request: Digest,
    /** By what means the reply was made to have its form. */
    transport: ReplyTransport,
    /** 0 for the first try; a reply that is no memory, or too long, or not true to the steps is asked again with the reason. */
    attempt: z.int().nonnegative(),
    /** How many were written to choose from (of the last piece), and which was taken. */
    candidates: z.int().positive(),
    taken: z.int().nonnegative(),
    /** In order of `MemoryRepair`; empty: the reply was a memory as it came. */
    repairs: z.array(MemoryRepair),
    /** Parts the fold was condensed in, one after the other, since it does not fit the condenser's window. */
    pieces: z.int().positive(),
    thought: ThoughtWriter,
  }),
]);
export type Writer = z.infer<typeof Writer>;
