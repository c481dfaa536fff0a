import { type Finding, longestWords, mostFindings } from "../../schemas/finding.ts";
import { shortened } from "./commands/actions.ts";

/** As many findings as are stored, each as short. */
export const shownFindings = (findings: readonly Finding[]): Finding[] =>
  findings.slice(0, mostFindings).map(({ words, why }) => ({ words: shortened(words, longestWords), why: shortened(why, longestWords) }));
