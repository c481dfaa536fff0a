import { Fault } from "../../schemas/fault.ts";
import type { Recipe } from "../../schemas/recipe.ts";
import { findAudits } from "../import/find-audit.ts";
import { checkRecipe } from "../recipe.ts";

/** The recipe that comes with the dataset of ours among the inputs; null: there is none. A new run begins with it. */
export async function pulledRecipe(inputs: readonly string[]): Promise<Recipe | null> {
  const [first, second] = await findAudits(inputs);
  if (first === undefined) return null;
  if (second !== undefined)
    throw new Fault(
      "USAGE",
      "stop",
      `${first.input} and ${second.input} both come with a recipe; begin the run with one of them, then add the other: catgen run 1 --input ${first.input} --input ${second.input}`,
    );
  return checkRecipe(first.account.recipe, `the recipe of ${first.input} (catgen ${first.account.catgen})`);
}
