import { thousands } from "../evidence.ts";
import { nothing, type PastSignal } from "./signal.ts";

/** A call is due each time this share of the window has been added. Table 1: 15,585 tokens before a call, which is 0.24 of 65,536. */
const windowShare = 1 / 4;
/** What is left of the score one, two, ... steps after the crossing: the moment passes, but placement may need a cut nearby. Our choice. */
const fading = [1, 0.6, 0.3];

/**
 * The window fills: 1 at the step that carries the append-only total of all steps over the next multiple of a quarter of the window, 0.6
 * and 0.3 at the two after it, else 0. It counts the run as recorded, so it does not depend on which calls are placed. Source: CAT 2.4 (1),
 * context expansion; CAT 2.2, "when the trajectory has grown sufficiently large".
 */
export const windowOccupancy: PastSignal = {
  family: "growth",
  sees: "past",
  watch: ({ windowTokens }) => {
    const due = windowTokens * windowShare;
    let total = 0;
    let crossing: { readonly at: number; readonly total: number; readonly multiple: number } | null = null;
    return ({ number, tokens }) => {
      const before = Math.floor(total / due);
      total += tokens;
      const multiple = Math.floor(total / due);
      if (multiple > before) crossing = { at: number, total, multiple };
      const score = crossing === null ? 0 : (fading[number - crossing.at] ?? 0);
      if (crossing === null || score === 0) return nothing;
      return {
        score,
        evidence: [
          `step ${crossing.at} carries the steps so far to ${thousands(crossing.total)} tokens, past ${thousands(crossing.multiple * due)} = ${crossing.multiple} x ${thousands(due)} (a quarter of the window)`,
        ],
      };
    };
  },
};
