import { resolve } from "node:path";
import { Fault } from "../../schemas/fault.ts";
import type { Recipe } from "../../schemas/recipe.ts";
import { isHubPath } from "../adapters/hub-file.ts";
import type { StepInfo } from "../plan.ts";
import { readRollouts } from "../rollout/records.ts";
import { readInputs } from "../run/inputs.ts";
import type { PlanInput } from "../run-plan/plan-run.ts";
import { findRun, type RunFolder, withVerdict } from "../store/run-folder.ts";
import type { RecipeOptions } from "./chosen-recipe.ts";
import { type CommonOptions, recipeOf, runsFolder } from "./shared.ts";

export interface RunOptions extends CommonOptions, RecipeOptions {
  readonly stages: string;
  readonly input: readonly string[];
  readonly tasks: readonly string[];
  /** null: all; undefined: as many as last time. */
  readonly limit: number | null | undefined;
  readonly shards: string | undefined;
  readonly jobs: number | undefined;
  /** Spend without asking, whatever the plan says. */
  readonly yes: boolean;
}

/** The run with the recipe it was last made with; null: there is none, and these options may make it. */
export async function findRunFor(
  options: RunOptions,
  steps: readonly StepInfo[],
): Promise<{ readonly run: RunFolder; readonly saved: Recipe | null } | null> {
  const runs = runsFolder(options.runs);
  const found = await findRun(runs, options.run);
  if (found !== null) {
    const run = withVerdict(found, options.verdict ?? null);
    return { run, saved: await recipeOf(run) };
  }
  if (steps[0]?.name === "generate" && options.input.length + options.tasks.length > 0) return null;
  throw new Fault(
    "RUN_MISSING",
    "stop",
    `there is no run ${JSON.stringify(options.run)} in ${runs}; make it with: catgen run all --run ${options.run} --input PATH (trajectories) or --tasks PATH (tasks to work on)`,
  );
}

export function checkShards(run: RunFolder, recipe: Recipe): void {
  if (recipe.run.shards !== null && recipe.run.shards !== run.shards)
    throw new Fault(
      "RUN_MISMATCH",
      "stop",
      `run.shards is ${recipe.run.shards}, but run ${run.name} was created with ${run.shards} shards, which are fixed; set it back, or use another --run`,
    );
}

/** What stage 1 is given: files and tasks as named now, else as the run remembers. A trial with --limit stays one until it is lifted. */
export async function generateInput(run: RunFolder, options: RunOptions): Promise<PlanInput> {
  const [inputs, rollouts] = [await readInputs(run), await readRollouts(run)];
  const limit = (before: { readonly limit: number | null } | null): number | null =>
    options.limit === undefined ? (before?.limit ?? null) : options.limit;
  return {
    paths: options.input.length > 0 ? options.input.map((path) => (isHubPath(path) ? path : resolve(path))) : (inputs?.paths ?? []),
    tasks: options.tasks.length > 0 ? options.tasks.map((path) => resolve(path)) : (rollouts?.paths ?? []),
    limit: limit(inputs ?? rollouts),
    tasksLimit: limit(rollouts),
  };
}
