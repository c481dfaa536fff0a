import { Fault } from "../../schemas/fault.ts";
import { Recipe } from "../../schemas/recipe.ts";
import { presetNames, presetText } from "../presets.ts";
import { checkRecipe, parseRecipe, setInRecipe } from "../recipe.ts";
import { readTextIfThere } from "../store/run-folder.ts";

export interface RecipeOptions {
  /** A file, or, where there is none of this name, a preset. */
  readonly recipe: string | undefined;
  readonly set: readonly string[];
  /** The `runtime.yaml` of a dataset, which the live agent is to keep to; left out: the recipe alone. */
  readonly runtime?: string | undefined;
}

/** A file replaces the recipe of the run, a preset the sections it names; of `export` the parts that it names. */
async function givenRecipe(saved: Recipe | null, option: string): Promise<{ value: unknown; where: string }> {
  const text = await readTextIfThere(option);
  if (text !== null) return { value: parseRecipe(text, option), where: option };
  const preset = presetText(option);
  if (preset === null)
    throw new Fault(
      "INPUT_MISSING",
      "stop",
      `there is no recipe file ${option}, nor a preset of this name (${presetNames().join(", ")}); \`catgen recipe > recipe.yaml\` writes one with every default`,
    );
  const where = `the preset ${option}`;
  const sections = parseRecipe(preset, where) as { readonly export?: object };
  const exporting = sections.export === undefined ? {} : { export: { ...saved?.export, ...sections.export } };
  return { value: { ...saved, ...sections, ...exporting }, where };
}

/** --recipe replaces the recipe of the run, --set changes single values of whichever it is. A verdict set has its own filters and shares the rest. */
export async function chosenRecipe(saved: Recipe | null, options: RecipeOptions, verdict: string | null): Promise<Recipe> {
  const given = options.recipe === undefined ? null : await givenRecipe(saved, options.recipe);
  const where = given?.where ?? "the recipe";
  let value: unknown = given === null ? (saved ?? {}) : given.value;
  if (given !== null) checkRecipe(value, where); // before --set, so that the message names the file
  if (given !== null && verdict !== null && saved !== null) value = { ...saved, ...(value as object) };
  if (options.runtime !== undefined) value = await (await import("../runtime.ts")).underRuntime(checkRecipe(value, where), options.runtime);
  for (const assignment of options.set) value = setInRecipe(value, assignment);
  const recipe = checkRecipe(value, options.set.length > 0 ? `--set ${options.set.join(" ")}` : where);
  if (verdict !== null && saved !== null) refuseOtherSections(saved, recipe, verdict);
  return recipe;
}

function refuseOtherSections(saved: Recipe, recipe: Recipe, verdict: string): void {
  const sections = Object.keys(Recipe.shape) as (keyof Recipe)[];
  const other = sections.filter((section) => section !== "filter" && JSON.stringify(saved[section]) !== JSON.stringify(recipe[section]));
  if (other.length > 0)
    throw new Fault(
      "USAGE",
      "stop",
      `the verdict set ${verdict} has filters of its own and shares everything else with the run, so ${other.join(", ")} cannot differ here; change ${other.length === 1 ? "it" : "them"} without --verdict`,
    );
}
