import type { Past, Signal } from "./signal.ts";

/** A call is due each time this share of the window has been added. Table 1: 15,585 tokens before a call, which is 0.24 of 65,536. */
const windowShare = 1 / 4;
/** Steps over which growth must be sustained. */
const sustainedSteps = 4;
/** What is left of the score one, two, ... steps after the crossing: the moment passes, but the chooser may need a place nearby. */
const fading = [1, 0.6, 0.3];

/** Tokens of steps [0, i) for i = 0 .. steps. */
const totals = (sizes: readonly number[]): number[] => {
  const sums = [0];
  for (const size of sizes) sums.push((sums.at(-1) ?? 0) + size);
  return sums;
};

/** 1 when the growth came step by step; down to 0.7 when one step alone brought most of it, since that is an accident, no trend. */
function steadiness(sizes: readonly number[], since: number): number {
  const grown = sizes.slice(since);
  const sum = grown.reduce((total, size) => total + size, 0);
  const largest = grown.reduce((most, size) => Math.max(most, size), 0);
  return sum === 0 ? 0 : 1 - 0.6 * Math.max(0, largest / sum - 0.5);
}

const thousands = (value: number): string => String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ",");

/** The last crossing of a multiple of `due`: after how many steps, which multiple, and after how many steps the one before was crossed. */
function lastCrossing(sums: readonly number[], due: number): { at: number; multiple: number; before: number } | null {
  const multiple = Math.floor((sums.at(-1) ?? 0) / due);
  if (multiple < 1) return null;
  const at = sums.findIndex((sum) => sum >= multiple * due);
  const below = Math.floor((sums[at - 1] ?? 0) / due);
  return { at, multiple, before: below < 1 ? 0 : sums.findIndex((sum) => sum >= below * due) };
}

/**
 * The context grows steadily: 1 at the step whose tokens carry the append-only total of all steps over the next multiple of a quarter of
 * the window, 0.6 and 0.3 at the two steps after it, else 0; less when a single step brought most of the growth. It counts the run as it
 * was recorded, so it does not depend on which calls are placed. Looks only backwards. Source: CAT 2.4 (1), context expansion.
 */
export const windowGrowth: Signal = ({ stepTokens, windowTokens }: Past) => {
  const due = windowTokens * windowShare;
  const sums = totals(stepTokens);
  const crossing = due > 0 ? lastCrossing(sums, due) : null;
  const ago = crossing === null ? fading.length : sums.length - 1 - crossing.at;
  if (crossing === null || ago >= fading.length) return { score: 0, evidence: [] };
  const { at, multiple, before } = crossing;
  const score = (fading[ago] ?? 0) * steadiness(stepTokens.slice(0, at), before);
  const recent = stepTokens.slice(-sustainedSteps);
  const evidence = [
    `step ${at} carries the steps so far to ${thousands(sums[at] ?? 0)} tokens, past ${thousands(multiple * due)} = ${multiple} x ${thousands(due)} (a quarter of the window)`,
    `${thousands((sums[at] ?? 0) - (sums[before] ?? 0))} tokens in steps ${before + 1} to ${at}; the last ${recent.length} steps added ${recent.map(thousands).join(" + ")}`,
  ];
  return score > 0 ? { score, evidence } : { score: 0, evidence: [] };
};
