import { thousands } from "../evidence.ts";
import { nothing, type PastSignal } from "./signal.ts";

/** Steps over which growth must be sustained: one long answer is an accident, no trend. Our choice. */
const sustainedSteps = 4;
/** Table 1: 15,585 tokens before a call in 87.4 steps / 5.22 segments = 16.7 steps are 931 a step: 1/70 of a window of 65,536. */
const windowShareOfStep = 1 / 70;
/** No step may have brought more than this share of it. */
const mostOfOne = 0.6;

/**
 * The context grows fast, and by every step: the last four steps bring more than Table 1's pace, scaled to the window. 0.5 at that pace, 1
 * at twice the pace and above; 0 below it, and when one of the four steps brought more than 60 % or one brought next to nothing. Source:
 * CAT 2.4 (1), "sustained growth in context length".
 */
export const sustainedGrowth: PastSignal = {
  family: "growth",
  sees: "past",
  watch: ({ windowTokens }) => {
    const pace = windowTokens * windowShareOfStep;
    let recent: readonly number[] = [];
    return ({ number, tokens }) => {
      recent = [...recent.slice(1 - sustainedSteps), tokens];
      if (recent.length < sustainedSteps || pace <= 0) return nothing;
      const sum = recent.reduce((total, one) => total + one, 0);
      const steady = Math.max(...recent) <= mostOfOne * sum && Math.min(...recent) >= pace / sustainedSteps;
      const times = sum / sustainedSteps / pace;
      if (!steady || times < 1) return nothing;
      return {
        score: Math.min(1, times / 2),
        evidence: [
          `steps ${number - sustainedSteps + 1} to ${number} added ${recent.map(thousands).join(" + ")} tokens: ${thousands(sum / sustainedSteps)} a step, where ${thousands(pace)} are usual for this window`,
        ],
      };
    };
  },
};
