import { z } from "zod";

export const WindowRecipe = z.strictObject({
  tokens: z.int().min(1024).default(65_536).describe("Context window of the model, tokens, at least 1024. CAT section 3: 65,536."),
  replyTokens: z
    .int()
    .min(1)
    .default(4_096)
    .describe("Tokens kept free for the reply of every model call. Our choice; the paper is silent."),
  keepSteps: z
    .int()
    .min(0)
    .default(3)
    .describe("k: recent steps that stay verbatim behind a memory. Equation 1 leaves k open; 3 is our choice."),
});
export type WindowRecipe = z.infer<typeof WindowRecipe>;

/** Kinds of personal data that can be replaced; each has a rule in `stages/lib/secrets/personal`. */
