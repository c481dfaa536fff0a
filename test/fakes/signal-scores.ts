import type { Step } from "../../schemas/trajectory.ts";
import { factsOf } from "../../stages/detect/facts.ts";
import { saidBy } from "../../stages/detect/score-cuts.ts";
import type { Said, Signal } from "../../stages/detect/signals/signal.ts";

export interface SignalView {
  /** One entry a step; 100 each unless told. */
  readonly tokens?: readonly number[];
  readonly windowTokens?: number;
}

/** What a signal says after each step: `[0]` is the cut after the first. */
export function saidAfter(signal: Signal, steps: readonly Step[], { tokens, windowTokens = 65_536 }: SignalView = {}): Said[] {
  const facts = factsOf(steps, tokens ?? steps.map(() => 100));
  return saidBy(signal, { headTokens: 1_000, windowTokens }, facts)
    .slice(1)
    .flatMap((said) => said ?? []);
}

export const scoresAfter = (signal: Signal, steps: readonly Step[], view?: SignalView): number[] =>
  saidAfter(signal, steps, view).map(({ score }) => Math.round(score * 100) / 100);

/** Cuts at which a signal speaks, with its score: `[cut, score]`. */
export const spoken = (signal: Signal, steps: readonly Step[], view?: SignalView): [cut: number, score: number][] =>
  scoresAfter(signal, steps, view).flatMap((score, index): [number, number][] => (score > 0 ? [[index + 1, score]] : []));

export const lastEvidence = (signal: Signal, steps: readonly Step[], view?: SignalView): readonly string[] =>
  saidAfter(signal, steps, view).at(-1)?.evidence ?? [];
