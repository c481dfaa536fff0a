import { z } from "zod";
import { CondenseRecipe } from "../../schemas/recipe/condense.ts";
import { DetectRecipe } from "../../schemas/recipe/detect.ts";
import { PersonaRecipe } from "../../schemas/recipe/persona.ts";
import { WindowRecipe } from "../../schemas/recipe/window.ts";
import type { StageOutline } from "../stage.ts";

export const DetectParams = z.strictObject({
  persona: PersonaRecipe,
  window: WindowRecipe,
  detect: DetectRecipe,
  memory: CondenseRecipe.pick({ memoryBaseTokens: true, memoryShare: true, memoryCapTokens: true }),
});
export type DetectParams = z.infer<typeof DetectParams>;

export const detectOutline: StageOutline<"trajectory", never, "detection", DetectParams> = {
  name: "detect",
  version: 2,
  reads: ["trajectory"],
  readsIfKept: [],
  writes: "detection",
  params: DetectParams,
};
