import { z } from "zod";
import { CondenseRecipe, DetectRecipe, PersonaRecipe, WindowRecipe } from "../../schemas/recipe.ts";
import { requestOverhead, requestStepTokens } from "../lib/condense-request.ts";
import { longestThought } from "../lib/context-thought.ts";
import { blockTexts, render } from "../lib/render.ts";
import { measureSizes, messageTokens } from "../lib/sizes.ts";
import { ok, rejected, type Stage } from "../stage.ts";
import { choose, replySizes } from "./choose.ts";
import { scoreCuts } from "./score-cuts.ts";

export const DetectParams = z.strictObject({
  persona: PersonaRecipe,
  window: WindowRecipe,
  detect: DetectRecipe,
  memoryCapTokens: CondenseRecipe.shape.memoryCapTokens,
});
export type DetectParams = z.infer<typeof DetectParams>;

/** Stage 2: scores every cut by the signals and chooses insertion points under the window. No point at all is a good answer, too. */
export const detect: Stage<"trajectory", never, "detection", DetectParams> = {
  name: "detect",
  version: 2,
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
