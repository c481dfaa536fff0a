import { z } from "zod";
import { PersonaRecipe } from "./recipe/persona.ts";
import { WindowRecipe } from "./recipe/window.ts";
import { Digest } from "./trajectory.ts";

/**
 * `runtime.yaml` beside a dataset: what inference must keep to, so that the trained model reads what it was trained on. `catgen run
 * --runtime FILE` takes it back for the live agent.
 */
export const Runtime = z.strictObject({
  format: z.literal("catgen.runtime/1"),
  /** Name of the dataset. */
  dataset: z.string(),
  /** The model that was to be trained. */
  model: z.string(),
  /** Positions as in the prepared model's config.json; `yarnFactor` null: not stretched, or the model's own positions are not known. */
  positions: z.strictObject({ tokens: z.int().positive(), yarnFactor: z.number().positive().nullable().default(null) }),
  /** Names, call style and escaping; `system` null: the persona's own, which is written out below. */
  persona: PersonaRecipe,
  /** `keepSteps` is k. */
  window: WindowRecipe,
  /** What the agent does about its context, and what it asks itself when it calls the tool. */
  context: z.strictObject({
    policy: z.literal("cat"),
    tool: z.string(),
    memoryBaseTokens: z.int(),
    memoryShare: z.number(),
    memoryCapTokens: z.int(),
    /** Version of the wording of the request for a memory. */
    requestVersion: z.int(),
  }),
  sampling: z.strictObject({ temperature: z.number().min(0).max(2) }),
  limits: z.strictObject({ maxSteps: z.int().min(1).max(500) }),
  /** The first turns as text; null where the persona keeps each source's own. */
  prompts: z
    .strictObject({
      /** The whole system turn, tools in the call style. */
      system: z.string(),
      /** The task's turn; `{workdir}` and `{issue}` stand for the task's own. */
      task: z.string(),
      /** Schemas, raw JSON text each, `context` last. */
      tools: z.array(z.string()).min(1),
    })
    .nullable()
    .default(null),
  /** Of the chat template that the text was written by. */
  chatTemplate: z.strictObject({ name: z.string(), sha256: Digest }),
});
export type Runtime = z.infer<typeof Runtime>;
