import { percent, thousands } from "../evidence.ts";
import type { StepFacts } from "../facts.ts";
import { nothing, type PastSignal } from "./signal.ts";

/** Turns whose words count as what the agent draws on now, and as long before them as a yardstick. Our choice. */
const recentTurns = 5;
/** Older steps must hold this share of the window before it is worth asking how much of them is used: 4,096 of 65,536. Our choice. */
const worthAsking = 1 / 16;
/** At most this share of the older tokens may still be drawn on; Our choice, after real runs: the median share is 0.30. */
const lowShare = 0.15;

/** Names of four characters or more: shorter ones stand everywhere. */
const name = /[A-Za-z_][\w.-]{3,79}/g;
/** Characters of an answer or a turn that are read at either end, and names that are kept of them; the rest of a dump is not told apart. */
const longest = 2_000;
const mostNames = 300;

const edges = (text: string): string => (text.length <= 2 * longest ? text : `${text.slice(0, longest)}\n${text.slice(-longest)}`);
function namesIn(...texts: readonly (string | null)[]): Set<string> {
  const names = new Set<string>();
  for (const text of texts) {
    if (text === null || text === "") continue;
    for (const [found] of edges(text).matchAll(name)) {
      if (names.size >= mostNames) return names;
      names.add(found);
    }
  }
  return names;
}

/** For each name the newest step whose answer has it; `from` asks which earlier steps a turn's words come from. */
function sources() {
  const newest = new Map<string, number>();
  return {
    from: ({ step, number }: StepFacts): Set<number> => {
      const used = new Set<number>();
      for (const one of namesIn(step.thought, ...step.calls.map((call) => call.arguments))) {
        const source = newest.get(one);
        if (source !== undefined && source < number) used.add(source);
      }
      return used;
    },
    learn: ({ step, number }: StepFacts): void => {
      for (const one of namesIn(...step.calls.map((call) => call.result))) newest.set(one, number);
    },
  };
}

interface Use {
  /** 0..1: share of the tokens of steps before the recent turns that these draw on. */
  readonly share: number;
  readonly olderTokens: number;
}

/**
 * What is visible is hardly used any more: the last five turns draw on at most 15 % of the tokens of the steps before them, and on less
 * than half of what the five turns before drew on; 1 when on nothing. A turn draws on a step when it says a name whose newest earlier
 * source is the answer of that step. Speaks only when the older steps hold a sixteenth of the window. Source: CAT 2.4 (1), "decreasing token
 * utilization efficiency", read backwards: past turns stand for the later ones that nobody has seen yet.
 */
export const fallingUtilisation: PastSignal = {
  family: "growth",
  sees: "past",
  watch: ({ windowTokens }) => {
    const { from, learn } = sources();
    const totals = [0];
    const sizes: number[] = [];
    const drawnOn: Set<number>[] = [];
    const shares: number[] = [];
    const use = (number: number): Use => {
      const older = number - recentTurns;
      const olderTokens = totals[Math.max(0, older)] ?? 0;
      const used = new Set<number>();
      for (const sources of drawnOn.slice(-recentTurns)) for (const source of sources) if (source <= older) used.add(source);
      const usedTokens = [...used].reduce((sum, source) => sum + (sizes[source - 1] ?? 0), 0);
      return { share: olderTokens === 0 ? 1 : usedTokens / olderTokens, olderTokens };
    };
    return (facts) => {
      drawnOn.push(from(facts));
      learn(facts);
      sizes.push(facts.tokens);
      totals.push((totals.at(-1) ?? 0) + facts.tokens);
      const { share, olderTokens } = use(facts.number);
      const before = shares.at(-recentTurns) ?? 1;
      shares.push(share);
      if (olderTokens < windowTokens * worthAsking || share > lowShare || 2 * share > before) return nothing;
      return {
        score: 1 - share / (2 * lowShare),
        evidence: [
          `steps ${facts.number - recentTurns + 1} to ${facts.number} draw on ${percent(share)} of the ${thousands(olderTokens)} tokens before them; ${recentTurns} steps ago it was ${percent(before)}`,
        ],
      };
    };
  },
};
