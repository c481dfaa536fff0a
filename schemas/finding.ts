import { z } from "zod";

/** A person looks up a few findings, the rest is a number. Our choice. */
export const mostFindings = 8;
/** Characters of each text: enough to look it up. */
export const longestWords = 200;

/** What is wrong with a memory: its own words, and why. */
export const Finding = z.strictObject({ words: z.string().max(longestWords), why: z.string().max(longestWords) });
export type Finding = z.infer<typeof Finding>;

/** The first of them. */
export const Findings = z.array(Finding).max(mostFindings);
