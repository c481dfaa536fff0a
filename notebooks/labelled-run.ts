import { readFile } from "node:fs/promises";
import { loadTokenizer } from "../pipeline/adapters/tokenizer.ts";
import { runsFolder, savedRecipe } from "../pipeline/commands/shared.ts";
import { readAllBundles } from "../pipeline/run/bundles.ts";
import { openRun } from "../pipeline/store/run-folder.ts";
import { BoundaryLabel } from "../schemas/boundary-label.ts";
import type { Recipe } from "../schemas/recipe.ts";
import type { Detection } from "../schemas/sidecars.ts";
import type { Trajectory } from "../schemas/trajectory.ts";
import type { Course } from "../stages/lib/boundary-agreement.ts";
import { render } from "../stages/lib/render.ts";
import { measureSizes } from "../stages/lib/sizes.ts";

/** What the notebooks read: a run with its insertion points, and labels of readers. */

export interface Scored extends Course {
  readonly id: string;
  readonly detection: Detection;
}
/** Boundaries that a reader saw, by trajectory; an empty list: none in there. */
export type Pass = ReadonlyMap<string, readonly BoundaryLabel[]>;

/** A step more or less is the same boundary: readers put a cut before or after the step that looks back. */
export const within = 1;

/** The cuts that a pass marks in a trajectory, ascending. */
export const cutsIn = (pass: Pass, id: string): readonly number[] => [...new Set((pass.get(id) ?? []).flatMap(({ cut }) => cut ?? []))];

/** Legal cuts and step sizes, by the exact tokenizer and the persona of the run. */
function courseOf(trajectory: Trajectory, recipe: Recipe, count: (text: string) => number): Course | null {
  const rendering = render(trajectory, recipe.persona);
  if (!rendering.ok) return null;
  const { assistant, user } = measureSizes(rendering.value, count);
  return {
    first: recipe.window.keepSteps + 1,
    last: trajectory.steps.length - 1,
    tokens: assistant.map((tokens, index) => tokens + (user[index] ?? 0)),
  };
}

/** Trajectories with what stage 2 stored of them, and why the others have nothing. */
export async function readRun(
  name: string,
  folder: string | undefined,
): Promise<{ scored: Scored[]; rejected: ReadonlyMap<string, string> }> {
  const run = await openRun(runsFolder(folder), name);
  const recipe = await savedRecipe(run);
  const tokenizer = loadTokenizer("qwen2.5");
  const scored: Scored[] = [];
  const rejected = new Map<string, string>();
  for await (const { id, trajectory, detection } of readAllBundles(run, ["trajectory", "detection"])) {
    if (trajectory?.outcome.ok !== true) continue;
    if (detection?.outcome.ok !== true) {
      rejected.set(id, detection === null ? "stage 2 has not run" : detection.outcome.ok ? "" : detection.outcome.why);
      continue;
    }
    const course = courseOf(trajectory.outcome.value, recipe, (text) => tokenizer.count(text));
    if (course !== null) scored.push({ id, detection: detection.outcome.value, ...course });
  }
  return { scored, rejected };
}

export async function readPass(file: string): Promise<Pass> {
  const pass = new Map<string, BoundaryLabel[]>();
  for (const [index, line] of (await readFile(file, "utf8")).split("\n").entries()) {
    if (line.trim() === "") continue;
    const parsed = BoundaryLabel.safeParse(JSON.parse(line));
    if (!parsed.success) throw new Error(`${file}:${index + 1}: no label: ${parsed.error.issues[0]?.message}`);
    const known = pass.get(parsed.data.id) ?? [];
    pass.set(parsed.data.id, parsed.data.cut === null ? known : [...known, parsed.data].sort((a, b) => (a.cut ?? 0) - (b.cut ?? 0)));
  }
  return pass;
}
