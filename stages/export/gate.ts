import type { Sample, Turn } from "../../schemas/sample.ts";
import { countControlTexts } from "../lib/control-tokens.ts";

/** A sample about to be written, with its size. */
export interface Candidate {
  readonly sample: Pick<Sample, "kind" | "turns">;
  /** Places where the trajectory's own text would become a control token, as the renderer counted them. */
  readonly controlTexts: number;
  /** Chat tokens of the whole sample. */
  readonly tokens: number;
  /** Largest prompt + max(reply reserve, own reply) over its trained turns. */
  readonly neededTokens: number;
  readonly windowTokens: number;
  /** Types of secrets in its turns and columns, as `secretsLeft` finds them. */
  readonly secretTypes: readonly string[];
}

const callTags = /<\/?tool_call>/g;

/** Control-token text where no renderer puts any: everywhere but in system and agent turns, which hold the call style's own tags. */
function foreignControlTexts({ kind, turns }: Candidate["sample"]): number {
  const own = (turn: Turn): boolean => turn.role === "system" || (turn.role === "assistant" && kind !== "condense");
  return turns.reduce((sum, turn) => sum + countControlTexts(own(turn) ? turn.content.replace(callTags, " ") : turn.content), 0);
}

const expectedRole = (index: number): Turn["role"] => (index === 0 ? "system" : index % 2 === 1 ? "user" : "assistant");

/** What must never reach a trainer, whatever the recipe says. Sources: trainers.md 1.3. */
const checks: Readonly<Record<string, (candidate: Candidate) => boolean>> = {
  /** Trainers would tokenize it as the real control token. */
  "control-token-text": ({ sample, controlTexts }) => controlTexts > 0 || foreignControlTexts(sample) > 0,
  /** An agent turn that says nothing teaches to end at once; a user turn without text is an answer that was lost. */
  "empty-turn": ({ sample }) => sample.turns.some((turn) => turn.role !== "system" && turn.content.trim() === ""),
  /** The newline would melt with the header's into one token, so that labels of separately tokenized pieces shift. */
  "leading-newline": ({ sample }) => sample.turns.some((turn) => turn.role === "assistant" && /^[\s\u0085]*[\r\n]/.test(turn.content)),
  "no-trained-turn": ({ sample }) => !sample.turns.some((turn) => turn.train),
  "trained-turn-not-by-agent": ({ sample }) => sample.turns.some((turn) => turn.train && turn.role !== "assistant"),
  /** Trainers that train the last turn only, and axolotl's warning, count on it. */
  "last-turn-untrained": ({ sample }) => sample.turns.at(-1)?.train !== true,
  /** LLaMA-Factory drops such samples silently, ms-swift joins the turns. */
  "not-alternating": ({ sample }) => sample.turns.some((turn, index) => turn.role !== expectedRole(index)),
  /** Trainers would cut it silently. */
  "window-exceeded": ({ tokens, neededTokens, windowTokens }) => tokens > windowTokens || neededTokens > windowTokens,
};

/** Every reason why the sample may not be exported, joined by blanks; null: it may. Expects turns that open with a system turn. */
export function gate(candidate: Candidate): string | null {
  const failed = Object.entries(checks).flatMap(([reason, fails]) => (fails(candidate) ? [reason] : []));
  const reasons = [...failed, ...new Set(candidate.secretTypes.map((type) => `secret:${type}`))];
  return reasons.length === 0 ? null : reasons.join(" ");
}
