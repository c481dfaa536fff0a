import { z } from "zod";
import { EvaluationDigests } from "../../schemas/contamination.ts";
import { CondenseRecipe } from "../../schemas/recipe/condense.ts";
import { ExportRecipe } from "../../schemas/recipe/export.ts";
import { PersonaRecipe } from "../../schemas/recipe/persona.ts";
import { WindowRecipe } from "../../schemas/recipe/window.ts";
import type { StageOutline } from "../stage.ts";

export const MeasureParams = z.strictObject({
  persona: PersonaRecipe,
  replyTokens: WindowRecipe.shape.replyTokens,
  /** Request wording depends on the target size. */
  condense: CondenseRecipe.pick({ memoryBaseTokens: true, memoryShare: true, memoryCapTokens: true }),
  baseTools: ExportRecipe.shape.baseTools,
  /** What the port lends, so that a changed set is measured anew. */
  evaluation: EvaluationDigests.default({ lists: {}, indexes: {} }),
});
export type MeasureParams = z.infer<typeof MeasureParams>;

export const measureOutline: StageOutline<"trajectory", "memory" | "workspace", "metrics", MeasureParams> = {
  name: "measure",
  version: 9,
  reads: ["trajectory"],
  readsIfKept: ["memory", "workspace"],
  writes: "metrics",
  params: MeasureParams,
};
