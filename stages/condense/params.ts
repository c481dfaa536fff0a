import { z } from "zod";
import { CondenseRecipe } from "../../schemas/recipe/condense.ts";
import { PersonaRecipe } from "../../schemas/recipe/persona.ts";
import { WindowRecipe } from "../../schemas/recipe/window.ts";
import { requestVersion } from "../lib/request-version.ts";

/** `condenser` and `thought` are resolved before keys are made (`auto` never gets here); `endpoint` is what shapes a model's replies, null without one. */
export const CondenseParams = z.strictObject({
  persona: PersonaRecipe,
  window: WindowRecipe.pick({ tokens: true, replyTokens: true }),
  condense: CondenseRecipe.extend({ condenser: z.enum(["extractive", "llm"]), thought: z.enum(["template", "llm"]) }),
  endpoint: z.json().nullable(),
  requestVersion: z.literal(requestVersion),
});
export type CondenseParams = z.infer<typeof CondenseParams>;
