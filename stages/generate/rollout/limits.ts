import type { RolloutTurn } from "../../../schemas/rollout.ts";
import type { ExitStatus } from "../../../schemas/trajectory.ts";

/** Bounds of one rollout; null = off. */
export interface RolloutLimits {
  readonly maxSteps: number;
  /** Prompt and reply tokens of all calls together, as billed; by our own count where the endpoint does not say. */
  readonly maxTokens: number | null;
  /** In the currency of the price. */
  readonly maxCost: number | null;
  readonly maxMinutes: number | null;
  /** Equal turns, or turns without a call, in a row. */
  readonly maxIdleTurns: number;
}

export interface Spent {
  readonly tokens: number;
  readonly cost: number;
  readonly minutes: number;
}

/** Why a run ended other than by its own submit. */
export interface Stop {
  readonly exit: ExitStatus;
  readonly rawExit: string;
}

const signatureOf = (turn: RolloutTurn): string =>
  JSON.stringify([turn.thought, turn.calls.map((call) => [call.name, call.arguments, call.result])]);

/** The last `count` turns are one and the same, results included: what comes next is the same again. */
function repeats(turns: readonly RolloutTurn[], count: number): boolean {
  const last = turns.slice(-count);
  const [first] = last;
  return first !== undefined && last.length === count && last.every((turn) => signatureOf(turn) === signatureOf(first));
}

/** The first limit that is reached before another turn; null: go on. */
export function stopBefore(turns: readonly RolloutTurn[], spent: Spent, limits: RolloutLimits): Stop | null {
  const { maxSteps, maxTokens, maxCost, maxMinutes, maxIdleTurns } = limits;
  if (turns.length >= maxSteps) return { exit: "step-limit", rawExit: "max-steps" };
  if (maxTokens !== null && spent.tokens >= maxTokens) return { exit: "cost-limit", rawExit: "max-tokens" };
  if (maxCost !== null && spent.cost >= maxCost) return { exit: "cost-limit", rawExit: "max-cost" };
  if (maxMinutes !== null && spent.minutes >= maxMinutes) return { exit: "time-limit", rawExit: "max-minutes" };
  const last = turns.slice(-maxIdleTurns);
  if (last.length === maxIdleTurns && last.every((turn) => turn.calls.length === 0)) return { exit: "stuck", rawExit: "calls-no-tool" };
  return repeats(turns, maxIdleTurns) ? { exit: "stuck", rawExit: "repeats-itself" } : null;
}
