import { z } from "zod";
import { EvaluationDigests } from "../../schemas/contamination.ts";
import { CondenseRecipe } from "../../schemas/recipe/condense.ts";
import { ExportRecipe } from "../../schemas/recipe/export.ts";
import { FilterRecipe } from "../../schemas/recipe/filter.ts";
import { PersonaRecipe } from "../../schemas/recipe/persona.ts";
import { RunRecipe } from "../../schemas/recipe/run.ts";
import { WindowRecipe } from "../../schemas/recipe/window.ts";

/** Everything that shapes the exported folder. `filter`: what the verdicts were made with, for the card alone; null: not stated there. */
export const ExportParams = z.strictObject({
  persona: PersonaRecipe,
  window: WindowRecipe,
  condense: CondenseRecipe.pick({ memoryBaseTokens: true, memoryShare: true, memoryCapTokens: true }).strip(),
  filter: FilterRecipe.nullable().default(null),
  export: ExportRecipe,
  seed: RunRecipe.shape.seed,
  /** What the trajectories were held against, for the card alone. */
  evaluation: EvaluationDigests.default({ lists: {}, indexes: {} }),
});
export type ExportParams = z.infer<typeof ExportParams>;
