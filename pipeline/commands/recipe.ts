import { defaultsAsYaml } from "../recipe.ts";

/** `catgen recipe`: every key with its default, commented. */
export async function recipeCommand(): Promise<number> {
  process.stdout.write(defaultsAsYaml());
  return 0;
}
