import { thousands } from "../evidence.ts";
import { nothing, type PastSignal } from "./signal.ts";

/** Steps over which growth must be sustained: one long answer is an accident, no trend. Our choice. */
const sustainedSteps = 4;
/** Table 1: 15,585 tokens before a call in 87.4 steps / 5.22 segments = 16.7 steps are 931 a step: 1/70 of a window of 65,536. */
const windowShareOfStep = 1 / 70;
/** No step may have brought more than this share of it. Our choice. */
const mostOfOne = 0.6;
/** A trend that goes on is told again when it has added as much as Table 1 has before a call: 0.24 of the window. */
const windowShareOfFold = 1 / 4;

/**
 * The context begins to grow fast, by every step: the last four bring more than Table 1's pace, scaled to the window. 0.5 at that pace, 1 at
 * twice the pace and above; told once when it begins and again for each quarter of the window that it adds; else 0, and when one of the four
 * steps brought more than 60 % or one brought next to nothing. Source: CAT 2.4 (1), "sustained growth in context length".
 */
export const sustainedGrowth: PastSignal = {
  family: "growth",
  sees: "past",
  watch: ({ windowTokens }) => {
    const pace = windowTokens * windowShareOfStep;
    let recent: readonly number[] = [];
    /** Tokens since this trend was last told; null while there is none. */
    let untold: number | null = null;
    return ({ number, tokens }) => {
      recent = [...recent.slice(1 - sustainedSteps), tokens];
      const sum = recent.reduce((total, one) => total + one, 0);
      const steady = Math.max(...recent) <= mostOfOne * sum && Math.min(...recent) >= pace / sustainedSteps;
      const times = sum / sustainedSteps / pace;
      const before = untold;
      untold = recent.length === sustainedSteps && steady && times >= 1 ? (before ?? 0) + tokens : null;
      if (untold === null || (before !== null && untold < windowTokens * windowShareOfFold)) return nothing;
      untold = 0;
      return {
        score: Math.min(1, times / 2),
        evidence: [
          `steps ${number - sustainedSteps + 1} to ${number} added ${recent.map(thousands).join(" + ")} tokens: ${thousands(sum / sustainedSteps)} a step, where ${thousands(pace)} are usual for this window`,
        ],
      };
    };
  },
};
