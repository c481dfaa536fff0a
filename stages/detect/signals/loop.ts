import type { StepFacts } from "../facts.ts";
import { nothing, type PastSignal, type Said } from "./signal.ts";

/** Repeats of one turn, or rounds of two turns in turn, that make a loop. OpenHands' StuckDetector takes four and three. */
const alike = 3;
const rounds = 3;
/** Steps that are looked back at; a longer loop says nothing new. */
const memory = 2 * rounds + 2;

/** A turn's calls with their answers; two turns with equal keys did the same and saw the same. Null: a turn without a call. */
const keyOf = ({ step }: StepFacts): string | null =>
  step.calls.length === 0 ? null : step.calls.map((call) => `${call.name}\u0000${call.arguments}\u0000${call.result ?? ""}`).join("\u0001");

/** How many of the last keys equal the one `distance` before them; stops at the first that does not. */
function run(keys: readonly (string | null)[], distance: number): number {
  let count = 0;
  for (let index = keys.length - 1; index - distance >= 0; index -= 1) {
    if (keys[index] === null || keys[index] !== keys[index - distance]) break;
    count += 1;
  }
  return count;
}

function found(keys: readonly (string | null)[], facts: StepFacts): Said {
  const command = facts.actions[0]?.command ?? "";
  const same = run(keys, 1) + 1;
  if (same >= alike)
    return {
      score: same === alike ? 1 : 0.75,
      evidence: [`steps ${facts.number - same + 1} to ${facts.number} are the same call with the same answer: \`${command}\``],
    };
  const alternating = run(keys, 2) + 2;
  if (alternating < 2 * rounds || keys.at(-1) === keys.at(-2)) return nothing;
  return {
    score: alternating === 2 * rounds ? 1 : 0.75,
    evidence: [
      `steps ${facts.number - alternating + 1} to ${facts.number} are two calls in turn with the same answers, the last \`${command}\``,
    ],
  };
}

/**
 * The agent goes round in circles: 1 at the third turn in a row with the very same calls and answers, and at the third round of two turns
 * in turn; 0.75 at each one after it; else 0. Source: CAT 2.4 (1), error correction; complexity-trap section 6, "detecting looping or
 * plateaus"; OpenHands' StuckDetector for the two patterns.
 */
export const loop: PastSignal = {
  family: "error-correction",
  sees: "past",
  watch: () => {
    let keys: readonly (string | null)[] = [];
    return (facts) => {
      keys = [...keys.slice(1 - memory), keyOf(facts)];
      return found(keys, facts);
    };
  },
};
