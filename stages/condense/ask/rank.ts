import type { CheckReport } from "../../lib/checks/index.ts";

/** Which of several memories to take, and which to have written anew. */

/** Checks that count while a memory is written: they need no future. */
const counting: ReadonlySet<string> = new Set(["grounded", "state-true", "failure-keeping"]);

/**
 * What a finding costs a candidate. A wrong state or a failure told as progress misleads every later step, an invented name costs a look;
 * the rest counts like that. Our choice.
 */
const weights: Readonly<Record<string, number>> = { "state-true": 3, "failure-keeping": 3, "no-leak": 3 };

export const weightedFindings = (reports: readonly CheckReport[]): number =>
  reports.reduce((sum, { check, findings }) => sum + findings.length * (Object.hasOwn(weights, check) ? (weights[check] ?? 1) : 1), 0);

export const countedReports = (reports: readonly CheckReport[]): CheckReport[] =>
  reports.filter(({ check, findings }) => counting.has(check) && findings.length > 0);

export interface Ranked {
  readonly index: number;
  readonly weighted: number;
  readonly tokens: number;
}

/** Fewest findings first, then nearest to the target, then the earliest. */
export const better =
  (targetTokens: number) =>
  (a: Ranked, b: Ranked): number =>
    a.weighted - b.weighted || Math.abs(a.tokens - targetTokens) - Math.abs(b.tokens - targetTokens) || a.index - b.index;

/** Findings that a request names; more would only be skimmed. */
const mostNamed = 12;
const longestWords = 160;

/** The findings as a model is told them, one line each. */
export function findingLines(reports: readonly CheckReport[]): string[] {
  const lines = reports.flatMap(({ check, findings }) =>
    findings.map(({ words, why }) => `- ${check}: ${JSON.stringify(words.slice(0, longestWords))}: ${why}`),
  );
  return lines.length <= mostNamed ? lines : [...lines.slice(0, mostNamed), `- and ${lines.length - mostNamed} more like these`];
}
