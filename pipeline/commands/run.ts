import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { Fault, type FaultCode, faultCodes } from "../../schemas/fault.ts";
import { Recipe } from "../../schemas/recipe.ts";
import type { RolloutsFile } from "../../schemas/rollouts.ts";
import type { Status } from "../../schemas/status.ts";
import { loadEvaluationSets } from "../contamination/load.ts";
import type { Settled } from "../keys.ts";
import { type StepInfo, shardsIn, stepsIn, stepTable } from "../plan.ts";
import { filterText, recipeText } from "../recipe.ts";
import { finishedRecords, readRecord, readRollouts } from "../rollout/records.ts";
import type { RolloutSummary } from "../rollout/run-rollouts.ts";
import type { RunContext, StepSummary } from "../run/context.ts";
import { judgedShort, judgedText } from "../run/funnel.ts";
import { runStage } from "../run/run-stage.ts";
import { selectionSummary, selectionText } from "../run/selection-summary.ts";
import { checkMix, requireImportedSources } from "../run/sources.ts";
import { stepStates } from "../run/state.ts";
import { stopIfAsked } from "../stop.ts";
import { writeTextAtomically } from "../store/atomic.ts";
import { sweepTemporaries } from "../store/leftovers.ts";
import { lockRun } from "../store/lock.ts";
import { createRun, exportFolder, type RunFolder, recipePath, verdictRecipePath, withVerdict } from "../store/run-folder.ts";
import { chosenRecipe } from "./chosen-recipe.ts";
import { pulledRecipe } from "./pulled-recipe.ts";
import { checkShards, findRunFor, generateInput, type RunOptions } from "./run-options.ts";
import { askBeforeCondense } from "./run-plan.ts";
import { print, progressFor, rememberEndpoint, runsFolder, settleHere } from "./shared.ts";
import { statusOf, statusText } from "./status.ts";
import { withWorld } from "./world.ts";

async function create(options: RunOptions, pulled: Recipe | null): Promise<RunFolder> {
  const { suggestShards } = await import("../run/generate.ts");
  const recipe = await chosenRecipe(pulled, options, null);
  const shards = recipe.run.shards ?? (await suggestShards(options.input, await countRollouts(options, recipe)));
  return withVerdict(await createRun(runsFolder(options.runs), options.run, shards), options.verdict ?? null);
}

async function countRollouts({ tasks, limit }: RunOptions, { generate }: Recipe): Promise<number> {
  if (tasks.length === 0) return 0;
  const { readTasks } = await import("../tasks/read.ts");
  let count = 0;
  for await (const event of readTasks(tasks, { maxRecordBytes: generate.maxRecordMegabytes * 1e6 }))
    if (event.ok) count += generate.rollout.samples;
  return Math.min(count, limit ?? Number.POSITIVE_INFINITY);
}

/** Stage 1: rolls out what is missing, if there are tasks, and imports that and what was given; both as given now, else as the run remembers. */
async function generate(context: RunContext, options: RunOptions): Promise<StepSummary> {
  const { paths, tasks, limit, tasksLimit } = await generateInput(context.run, options);
  if (paths.length + tasks.length === 0)
    throw new Fault("USAGE", "stop", "stage 1 needs trajectories to import (--input) or tasks to work on (--tasks): give files or folders");
  const failures: StepSummary["failures"] = [];
  if (tasks.length > 0) {
    const { runRollouts } = await import("../rollout/run-rollouts.ts");
    const rolled = await runRollouts(context, { paths: tasks, limit: tasksLimit });
    failures.push(...rolled.failures);
    context.progress.say(rolloutsLine(rolled));
  }
  const [{ runGenerate }, { auditsToPull, pullRows }] = await Promise.all([import("../run/generate.ts"), import("../run/pull.ts")]);
  const records = await finishedRecords(context.run);
  const audits = await auditsToPull(context.settled, paths, options.recipe !== undefined);
  if (paths.length + records.length === 0) throw noRollout(await readRollouts(context.run));
  const summary = await runGenerate(context, { paths, records, limit }).catch(async (error: unknown) => {
    const isEmpty = error instanceof Fault && error.code === "DATA_ERRORS" && paths.length === 0;
    throw (isEmpty ? await noTurn(context.run) : null) ?? error;
  });
  await pullRows(context, audits);
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

/** A step's code is loaded when it is its turn: most runs make a few steps, and judging again loads no importer and no Parquet. */
async function runStep(context: RunContext, options: RunOptions, info: StepInfo): Promise<StepSummary> {
  if (info.name === "generate") return generate(context, options);
  if (info.name === "export") return (await (await import("../run/export.ts")).runExport(context)).summary;
  if (info.name !== "select") return runStage(context, info.name, shardsIn(options.shards, context.run.shards));
  const waits = options.shards !== undefined && (await shardsToJudge(context)) > 0;
  if (!waits) return (await import("../run/select.ts")).runSelect(context);
  context.progress.say(`${info.step.padEnd(11)} waits until all shards are judged; the last of them, or run 5 without --shards, makes it`);
  return { step: info.step, shardsMade: 0, shardsKept: 0, rowsMade: 0, rowsReused: 0, failures: [] };
}

async function shardsToJudge({ run, settled }: RunContext): Promise<number> {
  return (await stepStates(run, "judge", settled)).filter(({ lack }) => lack !== null && lack.kind !== "failures").length;
}

async function runSteps(context: RunContext, options: RunOptions, steps: readonly StepInfo[]): Promise<StepSummary[]> {
  const summaries: StepSummary[] = [];
  for (const info of steps) {
    stopIfAsked(context.signal, `stopped before ${info.step}`);
    if (info.name === "condense" && info !== steps[0])
      await askBeforeCondense(options, context.run, context.settled, context.progress, context.signal);
    const summary = await runStep(context, options, info);
    if (info.name === "generate" && steps.some(({ name }) => name === "select"))
      await requireImportedSources(context.run, context.settled.recipe); // now it is known, and the steps to come may cost
    summaries.push(summary);
    context.progress.say(line(summary, info));
  }
  return summaries;
}

function line(summary: StepSummary, info: StepInfo): string {
  const unit =
    info.name === "export"
      ? "samples"
      : info.name === "select"
        ? "candidates"
        : info.name === "generate"
          ? "trajectories read"
          : "rows made";
  const parts = [`${summary.rowsMade} ${unit}`];
  if (summary.rowsReused > 0) parts.push(`${summary.rowsReused} reused`);
  if (summary.failures.length > 0) parts.push(`${summary.failures.length} FAILED`);
  parts.push(summary.shardsMade === 0 ? "nothing to do" : `${summary.shardsMade} of ${summary.shardsMade + summary.shardsKept} shards`);
  return `${info.step.padEnd(11)} ${parts.join(", ")}`;
}

/** Failures that a later try may heal by itself. */
const transient: ReadonlySet<string> = new Set([
  "ENDPOINT_UNREACHABLE",
  "REPLY_INVALID",
  "SANDBOX_BROKEN",
  "BATCH_WAITING",
] satisfies FaultCode[]);

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

/** The selection in one line; empty before there is one. */
async function selectionLine(run: RunFolder): Promise<string> {
  const summary = await selectionSummary(run);
  return summary === null ? "" : `set:    ${selectionText(summary)}`;
}

/** New evaluation sets are read before the recipe is written: a broken one would stay with the run and stop every later command. */
async function checkEvaluation(saved: Recipe | null, { recipe: { evaluation }, evaluation: digests }: Settled): Promise<void> {
  const known = saved?.evaluation ?? Recipe.parse({}).evaluation;
  if (!isDeepStrictEqual(known, evaluation)) await loadEvaluationSets(evaluation, digests);
}

/** `catgen run`: plans, does what is missing, and says what there is now. */
export async function runCommand(options: RunOptions): Promise<number> {
  const steps = stepsIn(options.stages);
  const found = await findRunFor(options, steps);
  const saved = found?.saved ?? null;
  const pulled = saved === null ? await pulledRecipe(options.input) : null;
  const run = found?.run ?? (await create(options, pulled));
  const recipe = await chosenRecipe(saved ?? pulled, options, run.verdict);
  checkShards(run, recipe);
  const release = await lockRun(run.root);
  try {
    const settled = await settleHere(recipe, run);
    if (steps[0]?.name === "condense") await askBeforeCondense(options, run, settled, progressFor(options), null); // before the recipe is written
    await sweepTemporaries(
      run,
      stepTable.map(({ step }) => step),
    );
    await checkEvaluation(saved, settled);
    await checkMix(run, steps, saved, recipe);
    await rememberEndpoint(run, settled);
    if (run.verdict === null || saved === null) await writeTextAtomically(recipePath(run), recipeText(recipe));
    if (run.verdict !== null) await writeTextAtomically(verdictRecipePath(run), filterText(recipe));
    const summaries = await withWorld(run, settled, options, (context) => runSteps(context, options, steps));
    const status = await statusOf(run, settled);
    const more = [
      judgedText(await judgedShort(run)),
      await selectionLine(run),
      ...notes(settled, status),
      ...(steps.at(-1)?.name === "export" ? [`dataset: ${exportFolder(run)}`] : []),
    ];
    print(options, { ...status, summary: summaries }, () => [statusText(status), ...more.filter((text) => text !== "")].join("\n"));
    return exitFor(summaries);
  } finally {
    await release();
  }
}
