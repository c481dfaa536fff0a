import { join, resolve } from "node:path";
import { Fault, type FaultCode, faultCodes } from "../../schemas/fault.ts";
import type { Recipe } from "../../schemas/recipe.ts";
import type { RolloutsFile } from "../../schemas/rollouts.ts";
import type { Status } from "../../schemas/status.ts";
import type { Settled } from "../keys.ts";
import { type RowStepName, type StepInfo, shardsIn, stepsIn, stepTable } from "../plan.ts";
import { checkRecipe, parseRecipe, recipeText, setInRecipe } from "../recipe.ts";
import { finishedRecords, readRecord, readRollouts } from "../rollout/records.ts";
import { type RolloutSummary, runRollouts } from "../rollout/run-rollouts.ts";
import type { RunContext, StepSummary } from "../run/context.ts";
import { runExport } from "../run/export.ts";
import { funnelOf, funnelText } from "../run/funnel.ts";
import { runGenerate, suggestShards } from "../run/generate.ts";
import { readInputs } from "../run/inputs.ts";
import { runStage } from "../run/run-stage.ts";
import { writeTextAtomically } from "../store/atomic.ts";
import { sweepTemporaries } from "../store/leftovers.ts";
import { lockRun } from "../store/lock.ts";
import { createRun, exportFolder, findRun, type RunFolder, readTextIfThere, recipePath } from "../store/run-folder.ts";
import { readTasks } from "../tasks/read.ts";
import { type CommonOptions, print, rememberEndpoint, runsFolder, savedRecipe, settleHere } from "./shared.ts";
import { statusOf, statusText } from "./status.ts";
import { withWorld } from "./world.ts";

export interface RecipeOptions {
  readonly recipe: string | undefined;
  readonly set: readonly string[];
}

export interface RunOptions extends CommonOptions, RecipeOptions {
  readonly stages: string;
  readonly input: readonly string[];
  readonly tasks: readonly string[];
  /** null: all; undefined: as many as last time. */
  readonly limit: number | null | undefined;
  readonly shards: string | undefined;
  readonly jobs: number | undefined;
}

/** --recipe replaces the recipe of the run, --set changes single values of whichever it is. */
export async function chosenRecipe(saved: Recipe | null, options: RecipeOptions): Promise<Recipe> {
  const text = options.recipe === undefined ? null : await readTextIfThere(options.recipe);
  if (options.recipe !== undefined && text === null)
    throw new Fault(
      "INPUT_MISSING",
      "stop",
      `there is no recipe file ${options.recipe}; \`catgen recipe > recipe.yaml\` writes one with every default`,
    );
  const where = options.recipe ?? "the recipe";
  let value: unknown = text === null ? (saved ?? {}) : parseRecipe(text, where);
  if (text !== null) checkRecipe(value, where); // before --set, so that the message names the file
  for (const assignment of options.set) value = setInRecipe(value, assignment);
  return checkRecipe(value, options.set.length > 0 ? `--set ${options.set.join(" ")}` : where);
}

async function openOrCreate(options: RunOptions, steps: readonly StepInfo[]): Promise<{ run: RunFolder; saved: Recipe | null }> {
  const runs = runsFolder(options.runs);
  const found = await findRun(runs, options.run);
  if (found !== null) return { run: found, saved: (await readTextIfThere(recipePath(found))) === null ? null : await savedRecipe(found) };
  if (steps[0]?.name !== "generate" || options.input.length + options.tasks.length === 0)
    throw new Fault(
      "RUN_MISSING",
      "stop",
      `there is no run ${JSON.stringify(options.run)} in ${runs}; make it with: catgen run all --run ${options.run} --input PATH (trajectories) or --tasks PATH (tasks to work on)`,
    );
  const recipe = await chosenRecipe(null, options);
  const shards = recipe.run.shards ?? (await suggestShards(options.input, await countRollouts(options, recipe)));
  return { run: await createRun(runs, options.run, shards), saved: null };
}

async function countRollouts({ tasks, limit }: RunOptions, { generate }: Recipe): Promise<number> {
  let count = 0;
  if (tasks.length > 0)
    for await (const event of readTasks(tasks, { maxRecordBytes: generate.maxRecordMegabytes * 1e6 }))
      if (event.ok) count += generate.rollout.samples;
  return Math.min(count, limit ?? Number.POSITIVE_INFINITY);
}

function checkShards(run: RunFolder, recipe: Recipe): void {
  if (recipe.run.shards !== null && recipe.run.shards !== run.shards)
    throw new Fault(
      "RUN_MISMATCH",
      "stop",
      `run.shards is ${recipe.run.shards}, but run ${run.name} was created with ${run.shards} shards, which are fixed; set it back, or use another --run`,
    );
}

/** A trial with --limit stays one until it is lifted. */
const limitOf = (options: RunOptions, before: { readonly limit: number | null } | null): number | null =>
  options.limit === undefined ? (before?.limit ?? null) : options.limit;

/** Stage 1: rolls out what is missing, if there are tasks, and imports that and what was given; both as given now, else as the run remembers. */
async function generate(context: RunContext, options: RunOptions): Promise<StepSummary> {
  const [inputs, rollouts] = [await readInputs(context.run), await readRollouts(context.run)];
  const paths = options.input.length > 0 ? options.input.map((path) => resolve(path)) : (inputs?.paths ?? []);
  const tasks = options.tasks.length > 0 ? options.tasks.map((path) => resolve(path)) : (rollouts?.paths ?? []);
  if (paths.length + tasks.length === 0)
    throw new Fault("USAGE", "stop", "stage 1 needs trajectories to import (--input) or tasks to work on (--tasks): give files or folders");
  const failures: StepSummary["failures"] = [];
  if (tasks.length > 0) {
    const rolled = await runRollouts(context, { paths: tasks, limit: limitOf(options, rollouts) });
    failures.push(...rolled.failures);
    context.progress.say(rolloutsLine(rolled));
  }
  const records = await finishedRecords(context.run);
  if (paths.length + records.length === 0) throw noRollout(await readRollouts(context.run));
  const summary = await runGenerate(context, { paths, records, limit: limitOf(options, inputs ?? rollouts) }).catch(
    async (error: unknown) => {
      const isEmpty = error instanceof Fault && error.code === "DATA_ERRORS" && paths.length === 0;
      throw (isEmpty ? await noTurn(context.run) : null) ?? error;
    },
  );
  return { ...summary, failures: [...failures, ...summary.failures] };
}

function rolloutsLine({ made, kept, leftOut, failures }: RolloutSummary): string {
  const counts = [
    [kept, "kept"],
    [leftOut, leftOut === 1 ? "task left out" : "tasks left out"],
    [failures.length, "FAILED"],
  ] as const;
  const parts = [`${made} rolled out`, ...counts.flatMap(([count, what]) => (count > 0 ? [`${count} ${what}`] : []))];
  return `${"rollouts".padEnd(11)} ${parts.join(", ")}${made + failures.length === 0 ? ", nothing to do" : ""}`;
}

function noRollout(account: RolloutsFile | null): Fault {
  const [failed] = account?.failed ?? [];
  const [leftOut] = account?.leftOut ?? [];
  const why = [
    ...(failed === undefined ? [] : [`${account?.failed.length} failed, the first: ${failed.message}`]),
    ...(leftOut === undefined ? [] : [`${account?.leftOut.length} tasks were left out, the first (${leftOut.file}): ${leftOut.why}`]),
  ];
  return new Fault("DATA_ERRORS", "stop", `no live run was finished: ${why.join("; ") || "the paths hold no task"}`);
}

/** Where all there is to import are live runs that ended before they began, only their exits tell what to do; null: it is not so. */
async function noTurn(run: RunFolder): Promise<Fault | null> {
  const finished = Object.entries((await readRollouts(run))?.finished ?? {});
  if (finished.some(([, { steps }]) => steps > 0)) return null;
  const exits = new Map<string, number>();
  for (const [name, { exit }] of finished) {
    const rawExit = (await readRecord(run, name))?.end.rawExit ?? null;
    const ended = rawExit === null ? exit : `${exit} (${rawExit})`;
    exits.set(ended, (exits.get(ended) ?? 0) + 1);
  }
  const tally = [...exits].sort(([, a], [, b]) => b - a).map(([ended, count]) => `${count} with ${ended}`);
  return new Fault(
    "DATA_ERRORS",
    "stop",
    `no live run got as far as a first turn: ${tally.join(", ")}. Check endpoint, model, window and generate.rollout; a changed recipe rolls out anew, the same one after you remove ${join(run.root, "rollouts", "done")} to roll out again`,
  );
}

async function runSteps(context: RunContext, options: RunOptions, steps: readonly StepInfo[]): Promise<StepSummary[]> {
  const summaries: StepSummary[] = [];
  for (const info of steps) {
    if (context.signal.aborted) throw new Fault("DRAINED", "stop", `stopped before ${info.step}; run the same command again to go on`);
    const summary =
      info.name === "generate"
        ? await generate(context, options)
        : info.name === "export"
          ? (await runExport(context)).summary
          : await runStage(context, info.name as RowStepName, shardsIn(options.shards, context.run.shards));
    summaries.push(summary);
    context.progress.say(line(summary, info));
  }
  return summaries;
}

function line(summary: StepSummary, info: StepInfo): string {
  const unit = info.name === "export" ? "samples" : info.name === "generate" ? "trajectories read" : "rows made";
  const parts = [`${summary.rowsMade} ${unit}`];
  if (summary.rowsReused > 0) parts.push(`${summary.rowsReused} reused`);
  if (summary.failures.length > 0) parts.push(`${summary.failures.length} FAILED`);
  parts.push(summary.shardsMade === 0 ? "nothing to do" : `${summary.shardsMade} of ${summary.shardsMade + summary.shardsKept} shards`);
  return `${info.step.padEnd(11)} ${parts.join(", ")}`;
}

/** Failures that a later try may heal by itself. */
const transient: ReadonlySet<string> = new Set(["ENDPOINT_UNREACHABLE", "REPLY_INVALID", "SANDBOX_BROKEN"] satisfies FaultCode[]);

/** Faults of single records do not stop a run, but it ends with a status that says so: 75 when trying again may help, else 65. */
function exitFor(summaries: readonly StepSummary[]): number {
  const failures = summaries.flatMap((summary) => summary.failures);
  const [first] = failures;
  if (first === undefined) return 0;
  const code = failures.every((failure) => transient.has(failure.code)) ? "ENDPOINT_UNREACHABLE" : "DATA_ERRORS";
  process.stderr.write(
    `catgen: ${failures.length} records failed and wait for another try; everything else is done and kept. The first: ${first.id}: ${first.message} [${first.code}]. Retry them with the same command\n`,
  );
  return faultCodes[code].exit;
}

/** What a person should know before training on the result. */
function notes(settled: Settled, status: Status): string[] {
  const rejected = status.stages.find((stage) => stage.name === "detect")?.rows.rejected ?? {};
  const said: string[] = [];
  if (settled.condenser === "extractive")
    said.push("note:   memories are by the built-in extractive condenser; set CATGEN_BASE_URL and CATGEN_MODEL to have a model write them");
  if (Object.keys(rejected).some((why) => why.includes("no-counterpart")))
    said.push(
      "note:   runs with calls that the persona has no tool for were rejected; see persona.rename and persona.name in `catgen recipe`",
    );
  return said;
}

/** `catgen run`: plans, does what is missing, and says what there is now. */
export async function runCommand(options: RunOptions): Promise<number> {
  const steps = stepsIn(options.stages);
  const { run, saved } = await openOrCreate(options, steps);
  const recipe = await chosenRecipe(saved, options);
  checkShards(run, recipe);
  const release = await lockRun(run.root);
  try {
    await sweepTemporaries(
      run,
      stepTable.map(({ step }) => step),
    );
    const settled = await settleHere(recipe, run);
    await rememberEndpoint(run, settled);
    await writeTextAtomically(recipePath(run), recipeText(recipe));
    const summaries = await withWorld(run, settled, options, (context) => runSteps(context, options, steps));
    const status = await statusOf(run, settled);
    const more = [
      funnelText(await funnelOf(run)),
      ...notes(settled, status),
      ...(steps.at(-1)?.name === "export" ? [`dataset: ${exportFolder(run)}`] : []),
    ];
    print(options, { ...status, summary: summaries }, () => [statusText(status), ...more.filter((text) => text !== "")].join("\n"));
    return exitFor(summaries);
  } finally {
    await release();
  }
}
