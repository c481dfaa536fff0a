import type { SampleMetrics } from "../../../schemas/metrics.ts";
import type { Measure, SizedSample } from "./measure.ts";

/** Largest prompt + max(reserve, own reply) over the trained calls: what the window must hold (DESIGN 5, invariant 5). */
function neededTokens(sample: SizedSample): number {
  let needed = 0;
  let before = 0;
  for (const turn of sample.turns) {
    if (turn.train) needed = Math.max(needed, before + sample.openingTokens + Math.max(sample.reserveTokens, turn.replyTokens));
    before += turn.tokens;
  }
  return needed;
}

/** Per sample of any kind. Trained tokens are those of the replies: content and `<|im_end|>`. */
export const sampleMeasures: { readonly [K in keyof SampleMetrics]: Measure<SizedSample, SampleMetrics[K]> } = {
  tokens: ({ turns }) => turns.reduce((sum, turn) => sum + turn.tokens, 0),
  trainedTokens: ({ turns }) => turns.reduce((sum, turn) => sum + (turn.train ? turn.replyTokens : 0), 0),
  neededTokens,
};
