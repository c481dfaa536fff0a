import { z } from "zod";

/** Recipe key `export.about`: what only people know of a dataset, for its card and its metadata. */
export const AboutRecipe = z.strictObject({
  creators: z.array(z.string().min(1)).default([]).describe("Who made it, as it should be cited."),
  url: z.url().nullable().default(null).describe("Where it will be, e.g. https://huggingface.co/datasets/ORG/NAME. null: not said."),
  published: z.iso
    .date()
    .nullable()
    .default(null)
    .describe("Day of publication, YYYY-MM-DD: nothing else in an export depends on time. null: not said."),
});
export type AboutRecipe = z.infer<typeof AboutRecipe>;
