import { isDeepStrictEqual } from "node:util";
import { Fault } from "../../schemas/fault.ts";
import { Recipe } from "../../schemas/recipe.ts";
import { absentSources } from "../../stages/filter/selection/compose.ts";
import type { StepInfo } from "../plan.ts";
import { nearest } from "../recipe.ts";
import type { RunFolder } from "../store/run-folder.ts";
import { allFiles, readInputs } from "./inputs.ts";

/** Trajectories by source (first part of the id), in order of name; empty: none is imported yet. */
export async function importedSources(run: RunFolder): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  const ids = new Set(allFiles(await readInputs(run)).flatMap(({ trajectories }) => trajectories));
  for (const id of ids) {
    const source = id.slice(0, id.indexOf("/"));
    counts.set(source, (counts.get(source) ?? 0) + 1);
  }
  return new Map([...counts].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** A mix that asks for what the run does not have could never be met; whether what it has is also kept, only judging tells. */
export async function requireImportedSources(run: RunFolder, { filter: { set } }: Recipe): Promise<void> {
  const sources = await importedSources(run);
  const known = [...sources.keys()].map((source) => ({ source }));
  const absent = known.length === 0 ? [] : absentSources(known, set.mix);
  const [first] = absent;
  if (first === undefined) return;
  const near = nearest(first, [...sources.keys()]);
  const there = [...sources].map(([name, count]) => `${name} (${count})`).join(", ");
  throw new Fault(
    "RECIPE_INVALID",
    "stop",
    `filter.set.mix asks for ${absent.join(", ")}, and no trajectory of run ${run.name} comes from there${near === null ? "" : `; did you mean ${near}?`} It has trajectories of ${there}. Give another --set filter.set.mix=..., or import what is missing: catgen run 1 --run ${run.name} --input PATH`,
  );
}

/**
 * Asked before a recipe is saved, where this command imports nothing and either changes the mix or selects by it: what the run consists of
 * is known then, and a mix that cannot be met would stay with it.
 */
export async function checkMix(run: RunFolder, steps: readonly StepInfo[], saved: Recipe | null, recipe: Recipe): Promise<void> {
  const names = steps.map(({ name }) => name);
  const changed = !isDeepStrictEqual((saved ?? Recipe.parse({})).filter.set.mix, recipe.filter.set.mix);
  if (!names.includes("generate") && (changed || names.includes("select"))) await requireImportedSources(run, recipe);
}
