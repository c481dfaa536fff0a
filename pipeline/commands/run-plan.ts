import { join } from "node:path";
import { Fault } from "../../schemas/fault.ts";
import { asksModel, type Settled } from "../keys.ts";
import { type StepInfo, shardsIn, stepNamed, stepsIn } from "../plan.ts";
import type { Progress } from "../progress.ts";
import { checkMix } from "../run/sources.ts";
import { exceeded, goOn, terminalHere } from "../run-plan/ask.ts";
import type { PlanPlace } from "../run-plan/place.ts";
import { modelText, planText } from "../run-plan/plan-text.ts";
import type { RunFolder } from "../store/run-folder.ts";
import { chosenRecipe } from "./chosen-recipe.ts";
import { pulledRecipe } from "./pulled-recipe.ts";
import { checkShards, findRunFor, generateInput, type RunOptions } from "./run-options.ts";
import { cacheFolder, print, progressFor, runsFolder, settleHere } from "./shared.ts";

function placeFor(options: RunOptions, run: RunFolder, exists: boolean, settled: Settled, progress: Progress): PlanPlace {
  const runs = runsFolder(options.runs);
  return { run, exists, settled, runsFolder: runs, cacheFolder: cacheFolder(runs), progress };
}

/** `catgen run --plan`: what would be made, and what the model would be asked for it. Makes and changes nothing. */
export async function planCommand(options: RunOptions): Promise<number> {
  const steps = stepsIn(options.stages);
  const found = await findRunFor(options, steps);
  const verdict = found?.run.verdict ?? options.verdict ?? null;
  const recipe = await chosenRecipe(found?.saved ?? (await pulledRecipe(options.input)), options, verdict);
  const run = found?.run ?? { name: options.run, root: join(runsFolder(options.runs), options.run), shards: 0, verdict };
  if (found !== null) checkShards(run, recipe);
  if (found !== null) await checkMix(run, steps, found.saved, recipe);
  const settled = await settleHere(recipe, found?.run ?? null);
  const place = placeFor(options, run, found !== null, settled, progressFor(options));
  const shards = run.shards === 0 ? [] : shardsIn(options.shards, run.shards);
  const { planRun } = await import("../run-plan/plan-run.ts");
  const plan = await planRun(place, steps, shards, await generateInput(run, options));
  print(options, plan, () => planText(plan));
  return 0;
}

/**
 * Asks before stage 3 spends more than `llm.askAbove` says, where there is a person to ask: scripts and batch jobs are never held up
 * (`llm.budget` is their limit). A no throws, before anything of the step has begun.
 */
export async function askBeforeCondense(
  options: RunOptions,
  run: RunFolder,
  settled: Settled,
  progress: Progress,
  signal: AbortSignal | null,
): Promise<void> {
  const terminal = terminalHere();
  const { askAbove } = settled.recipe.llm;
  if (options.yes || terminal === null || !asksModel(settled)) return;
  if (askAbove.calls === null && (askAbove.money === null || settled.endpoint.price === null)) return;
  const info: StepInfo = stepNamed("condense");
  const nothing = { paths: [], tasks: [], limit: null, tasksLimit: null };
  const { planRun } = await import("../run-plan/plan-run.ts"); // here, since most runs have nothing to ask
  const plan = await planRun(placeFor(options, run, true, settled, progress), [info], shardsIn(options.shards, run.shards), nothing);
  const model = plan.steps[0]?.model ?? null;
  const over = model === null ? null : exceeded(model, askAbove);
  if (model === null || over === null) return;
  terminal.output.write(`${info.step} would ask the model for\n${modelText(model)}\nThat is ${over}; --yes goes on unasked.\n`);
  if (await goOn(terminal, "go on?", signal)) return;
  throw new Fault("DRAINED", "stop", `stopped before ${info.step}: no call was made; the same command asks again`);
}
