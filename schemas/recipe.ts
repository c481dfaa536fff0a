import { z } from "zod";
import { CondenseRecipe } from "./recipe/condense.ts";
import { DetectRecipe } from "./recipe/detect.ts";
import { EvaluationRecipe } from "./recipe/evaluation.ts";
import { ExportRecipe } from "./recipe/export.ts";
import { FilterRecipe } from "./recipe/filter.ts";
import { GenerateRecipe } from "./recipe/generate.ts";
import { LlmRecipe } from "./recipe/llm.ts";
import { PersonaRecipe } from "./recipe/persona.ts";
import { PublishRecipe } from "./recipe/publish.ts";
import { RunRecipe } from "./recipe/run.ts";
import { TokenizerRecipe } from "./recipe/tokenizer.ts";
import { WindowRecipe } from "./recipe/window.ts";

/** Every value a user may set. Each field says what it is, its unit, range, and where the default comes from; `catgen recipe` prints that. */
export const Recipe = z.strictObject({
  run: RunRecipe.prefault({}).describe("The run as a whole."),
  persona: PersonaRecipe.prefault({}).describe("System prompt, tools and call style of the agent in the samples."),
  window: WindowRecipe.prefault({}).describe("What a model call may see."),
  tokenizer: TokenizerRecipe.prefault({}).describe("Tokenizer and chat template of the model to train: what all tokens are counted with."),
  generate: GenerateRecipe.prefault({}).describe("Stage 1: base trajectories."),
  detect: DetectRecipe.prefault({}).describe("Stage 2: insertion points."),
  condense: CondenseRecipe.prefault({}).describe("Stage 3: memory blocks."),
  filter: FilterRecipe.prefault({}).describe("Stage 5: thresholds; null switches one off."),
  evaluation: EvaluationRecipe.prefault({}).describe("Sets that models are evaluated on, and that training data must not touch."),
  export: ExportRecipe.prefault({}).describe("Stage 6: the dataset."),
  publish: PublishRecipe.prefault({}).describe("What may go to the Hub although a gate stops at it."),
  llm: LlmRecipe.prefault({}).describe("The backbone. The key is never in a recipe: set CATGEN_API_KEY."),
});
export type Recipe = z.infer<typeof Recipe>;
