import { requirePreset } from "../presets.ts";
import { defaultsAsYaml } from "../recipe.ts";

/** `catgen recipe`: every key with its default, commented; or a preset as it is. */
export async function recipeCommand(preset: string | undefined): Promise<number> {
  process.stdout.write(preset === undefined ? defaultsAsYaml() : requirePreset(preset));
  return 0;
}
