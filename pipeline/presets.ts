import { readdirSync, readFileSync } from "node:fs";
import { Fault } from "../schemas/fault.ts";
import { meant } from "./recipe.ts";

/** Recipes that come with catgen (`data/recipes/NAME.yaml`): each sets whole sections and leaves the others alone; those for trainings (`train-...`) set `export.training`. */
const folder = new URL("../data/recipes/", import.meta.url);

export const presetNames = (): string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith(".yaml"))
    .map((name) => name.slice(0, -".yaml".length))
    .sort();

/** The preset's text, comments included; null where there is none of this name. */
export const presetText = (name: string): string | null =>
  presetNames().includes(name) ? readFileSync(new URL(`${name}.yaml`, folder), "utf8") : null;

/** The preset's text, or a fault that lists the names there are. */
export function requirePreset(name: string): string {
  const text = presetText(name);
  if (text !== null) return text;
  const names = presetNames();
  throw new Fault("USAGE", "stop", `there is no preset ${JSON.stringify(name)}; ${meant(name, names)}`);
}
