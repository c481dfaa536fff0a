import { z } from "zod";

const Paths = z.array(z.string().min(1)).default([]);

/** Recipe key `evaluation`: what trajectories are held against, beside the sets that come with catgen. */
export const EvaluationRecipe = z.strictObject({
  lists: Paths.describe(
    "Further sets by id: text files with one instance id or owner/name per line, `#` starts a comment. A set is called after its file. Live agents are not given such tasks either.",
  ),
  indexes: Paths.describe("Further sets by text: files that `catgen decontamination index` has made from your copy of a set."),
});
export type EvaluationRecipe = z.infer<typeof EvaluationRecipe>;
