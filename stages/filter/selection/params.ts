import { z } from "zod";
import { FilterSetRecipe } from "../../../schemas/recipe/filter-set.ts";
import { RunRecipe } from "../../../schemas/recipe/run.ts";
import { SampleKind } from "../../../schemas/sample.ts";

export const SelectParams = z.strictObject({
  set: FilterSetRecipe,
  /** A trajectory counts by the samples that would be exported. */
  kinds: z.array(SampleKind),
  seed: RunRecipe.shape.seed,
});
export type SelectParams = z.infer<typeof SelectParams>;
