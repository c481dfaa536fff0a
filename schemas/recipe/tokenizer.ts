import { z } from "zod";

export const TokenizerRecipe = z.strictObject({
  folder: z
    .string()
    .min(1)
    .nullable()
    .default(null)
    .describe(
      "Folder of the model to train, with its tokenizer.json, and its chat template in tokenizer_config.json or chat_template.jinja (Qwen3, Llama, Mistral, ...). null: Qwen2.5's, built in.",
    ),
  template: z
    .string()
    .min(1)
    .nullable()
    .default(null)
    .describe("File with a chat template (Jinja) in place of the folder's own. Samples that it writes otherwise than we do are left out."),
});
export type TokenizerRecipe = z.infer<typeof TokenizerRecipe>;
