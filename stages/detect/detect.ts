import { z } from "zod";
import { CondenseRecipe, DetectRecipe, PersonaRecipe, WindowRecipe } from "../../schemas/recipe.ts";
import type { Candidate } from "../../schemas/sidecars.ts";
import type { Step } from "../../schemas/trajectory.ts";
import { requestOverhead, requestStepTokens } from "../lib/condense-request.ts";
import { longestThought } from "../lib/context-thought.ts";
import { blockTexts, render } from "../lib/render.ts";
import { measureSizes, messageTokens, type Sizes } from "../lib/sizes.ts";
import { ok, rejected, type Stage } from "../stage.ts";
import { choose, replySizes } from "./choose.ts";
import { type SignalName, signals } from "./signals/index.ts";

export const DetectParams = z.strictObject({
  persona: PersonaRecipe,
  window: WindowRecipe,
  detect: DetectRecipe,
  memoryCapTokens: CondenseRecipe.shape.memoryCapTokens,
});
export type DetectParams = z.infer<typeof DetectParams>;

const rounded = (score: number): number => Math.round(score * 1e6) / 1e6; // six digits, so that a row does not hang on the last bit of a sum

/** Every legal cut with the signals that speak for it; score = largest weighted signal. Each signal sees the past of its cut only. */
export function scoreCuts(steps: readonly Step[], sizes: Sizes, params: DetectParams): Candidate[] {
  const stepTokens = sizes.assistant.map((tokens, index) => tokens + (sizes.user[index] ?? 0));
  const names = (Object.keys(signals) as SignalName[]).filter((name) => params.detect.weights[name] > 0);
  const candidates: Candidate[] = [];
  for (let cut = params.window.keepSteps + 1; cut < steps.length; cut += 1) {
    const past = {
      steps: steps.slice(0, cut),
      stepTokens: stepTokens.slice(0, cut),
      headTokens: sizes.head,
      windowTokens: params.window.tokens,
    };
    const found = names.flatMap((signal) => {
      const { score, evidence } = signals[signal](past);
      return score > 0 ? [{ signal, score: rounded(score), evidence: [...evidence] }] : [];
    });
    if (found.length === 0) continue;
    const score = Math.max(...found.map((one) => one.score * params.detect.weights[one.signal]));
    candidates.push({ cut, score: rounded(score), signals: found });
  }
  return candidates;
}

/** Stage 2: scores every cut by the signals and chooses insertion points under the window. No point at all is a good answer, too. */
export const detect: Stage<"trajectory", never, "detection", DetectParams> = {
  name: "detect",
  version: 1,
  reads: ["trajectory"],
  readsIfKept: [],
  writes: "detection",
  params: DetectParams,
  run: async ({ trajectory }, params, ports) => {
    const rendering = render(trajectory, params.persona);
    if (!rendering.ok) return rejected(rendering.reasons.join(" "));
    if (rendering.value.controlTexts > 0) return rejected("control-token-text");
    const count = ports.countTokens;
    const sizes = measureSizes(rendering.value, count);
    const candidates = scoreCuts(trajectory.steps, sizes, params);
    const longest = blockTexts({ thought: longestThought, memory: "" }, params.persona);
    const points = choose({
      sizes,
      replies: replySizes(sizes, count),
      candidates,
      window: params.window,
      detect: params.detect,
      memoryCapTokens: params.memoryCapTokens,
      callTokens:
        messageTokens({ role: "assistant", content: longest.call }, count) +
        messageTokens({ role: "user", content: longest.result }, count),
      requestTokens: requestOverhead(count),
      requestStepTokens: requestStepTokens(rendering.value.steps, count),
    });
    return points.ok ? ok({ candidates, points: points.value }) : points;
  },
};
