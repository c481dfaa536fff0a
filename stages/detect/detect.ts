import type { Candidate, Detection, InsertionPoint, PlacementReport } from "../../schemas/sidecars.ts";
import { targetTokens } from "../lib/condense-input.ts";
import { requestOverhead, requestStepTokens } from "../lib/condense-request.ts";
import { contextThought, longestThought } from "../lib/context-thought.ts";
import { blockTexts, type Rendered, render } from "../lib/render.ts";
import { type CountTokens, measureSizes, messageTokens, replyTokens, type Sizes } from "../lib/sizes.ts";
import { ok, rejected, type Stage } from "../stage.ts";
import { type DetectParams, detectOutline } from "./outline.ts";
import { costsOf } from "./placement/cost.ts";
import { explain, regretOf } from "./placement/explain.ts";
import { optimum, type Placement } from "./placement/optimum.ts";
import { keptFrom, type Problem } from "./placement/problem.ts";
import { scoreCuts } from "./score-cuts.ts";
import { type SignalName, signals } from "./signals/index.ts";

const rounded = (score: number): number => Math.round(score * 1e6) / 1e6; // six digits, so that a row does not hang on the last bit of a sum

/** Tokens of a context call with this thought, and of the wrapping around its memory. */
function callTokens(thought: string, { persona }: DetectParams, count: CountTokens): number {
  const texts = blockTexts({ thought, memory: "" }, persona);
  return messageTokens({ role: "assistant", content: texts.call }, count) + messageTokens({ role: "user", content: texts.result }, count);
}

/** A score per step index: that of the cut before it, 0 where none is stated. */
function scoresOf(candidates: readonly Pick<Candidate, "cut" | "score">[], steps: number): number[] {
  const scores = Array.from({ length: steps }, () => 0);
  for (const { cut, score } of candidates) if (cut < steps) scores[cut] = score;
  return scores;
}

/** The same by the signals alone that see no further than the cut. */
export function pastScoresOf(candidates: readonly Candidate[], steps: number, { detect }: DetectParams): number[] {
  const past = (found: Candidate["signals"]): number =>
    found.reduce((best, { signal, score }) => {
      const known = Object.hasOwn(signals, signal) ? signals[signal as SignalName] : null;
      return known?.sees === "past" ? Math.max(best, score * detect.weights[signal as SignalName]) : best;
    }, 0);
  return scoresOf(
    candidates.map(({ cut, signals: found }) => ({ cut, score: past(found) })),
    steps,
  );
}

/** The numbers that placement works on. */
export function problemOf(
  rendered: Rendered,
  sizes: Sizes,
  candidates: readonly Candidate[],
  params: DetectParams,
  count: CountTokens,
): Problem {
  const { window, detect, memory } = params;
  const steps = rendered.steps.length;
  return {
    upTo: sizes.upTo,
    headTokens: sizes.head,
    openingTokens: sizes.opening,
    replies: sizes.assistant.map((tokens) => replyTokens(tokens, count)),
    requestUpTo: requestStepTokens(rendered.steps, count),
    requestTokens: requestOverhead(count),
    scores: scoresOf(candidates, steps),
    memoryTokens: Array.from({ length: steps }, (_, cut) => targetTokens(sizes, Math.max(0, cut - window.keepSteps), memory)),
    memoryCapTokens: memory.memoryCapTokens,
    callCapTokens: callTokens(longestThought, params, count),
    callTokens: callTokens(contextThought("window", [], 0), params, count),
    limits: {
      windowTokens: window.tokens,
      replyTokens: window.replyTokens,
      keepSteps: window.keepSteps,
      minGapSteps: detect.minGapSteps,
      minFoldTokens: detect.minFoldTokens,
      maxCalls: detect.maxCalls,
    },
    terms: { callPrice: detect.callPrice, costWeight: detect.costWeight, prices: detect.prices },
  };
}

function reportOf(problem: Problem, placement: Placement, pastScores: readonly number[]): PlacementReport {
  const costs = costsOf(problem);
  const regret = regretOf(problem, placement, pastScores);
  return {
    objective: rounded(placement.objective),
    costTokens: rounded(costs.total(placement.cuts)),
    appendOnlyCostTokens: rounded(costs.total([])),
    points: explain(problem, placement).map((one) => ({
      ...one,
      savesTokens: rounded(one.savesTokens),
      replacement: one.replacement === null ? null : { cut: one.replacement.cut, loss: rounded(one.replacement.loss) },
    })),
    pastOnly:
      regret === null
        ? null
        : {
            minScore: regret.rule.minScore,
            occupancy: regret.rule.occupancy,
            calls: regret.calls,
            objective: rounded(regret.objective),
            regret: rounded(regret.regret),
          },
  };
}

function pointsOf(problem: Problem, report: PlacementReport): InsertionPoint[] {
  return report.points.map(({ cut, needed }) => {
    const signalled = (problem.scores[cut] ?? 0) > problem.terms.callPrice;
    return { cut, keptFrom: keptFrom(problem, cut), reason: signalled ? "signals" : needed ? "window" : "cost" };
  });
}

/** The detection of a placement: chosen points, and why. */
export function detectionOf(problem: Problem, candidates: Candidate[], placement: Placement, pastScores: readonly number[]): Detection {
  const report = reportOf(problem, placement, pastScores);
  return { candidates, points: pointsOf(problem, report), placement: report };
}

/** Stage 2: scores every cut by the signals and places the context calls of highest worth. No point at all is a good answer, too. */
export const detect: Stage<"trajectory", never, "detection", DetectParams> = {
  ...detectOutline,
  run: async ({ trajectory }, params, ports) => {
    const rendering = render(trajectory, params.persona);
    if (!rendering.ok) return rejected(rendering.reasons.join(" "));
    if (rendering.value.controlTexts > 0) return rejected("control-token-text");
    const count = ports.countTokens;
    const sizes = measureSizes(rendering.value, count);
    const candidates = scoreCuts(trajectory.steps, sizes, params);
    const problem = problemOf(rendering.value, sizes, candidates, params, count);
    const placed = optimum(problem);
    if (!placed.ok) return rejected(`${placed.because === "window" ? "window-exceeded" : "max-calls-exceeded"} at step ${placed.step + 1}`);
    return ok(detectionOf(problem, candidates, placed.value, pastScoresOf(candidates, trajectory.steps.length, params)));
  },
};
