import { faultCodes } from "../../schemas/fault.ts";
import { stepTable } from "../plan.ts";
import { type Repaired, repairRun } from "../run/repair.ts";
import { sweepTemporaries } from "../store/leftovers.ts";
import { lockRun } from "../store/lock.ts";
import { verdictNames } from "../store/run-folder.ts";
import { type CommonOptions, openJudged, openWithRecipe, print } from "./shared.ts";
import { inVerdict } from "./verify.ts";
import { withWorld } from "./world.ts";

/** One verdict set; `own`: without what all of them share. */
async function repairOne(options: CommonOptions, own: boolean): Promise<Repaired> {
  const { run, settled } = await openWithRecipe(options);
  await sweepTemporaries(
    run,
    stepTable.map(({ step }) => step),
  );
  const { found, steps, left } = await withWorld(run, settled, { ...options, jobs: undefined }, (context) => repairRun(context, own));
  return { found: inVerdict(found, run), steps, left: inVerdict(left, run) };
}

/** `catgen repair`: verifies, makes what is broken anew and nothing else, verifies again; all verdict sets, or the one that is named. */
export async function repairCommand(options: CommonOptions): Promise<number> {
  const run = await openJudged(options);
  const release = await lockRun(run.root);
  try {
    const sets: Repaired[] = [await repairOne(options, false)];
    for (const verdict of options.verdict === undefined ? await verdictNames(run) : [])
      sets.push(await repairOne({ ...options, verdict }, true));
    const repaired: Repaired = {
      found: sets.flatMap(({ found }) => found),
      steps: sets.flatMap(({ steps }) => steps),
      left: sets.flatMap(({ left }) => left),
    };
    print(options, { run: run.name, ...repaired }, () =>
      [
        ...repaired.found.map(({ stage, shard, what }) => `${stage}${shard === null ? "" : ` shard ${shard}`}: ${what}`),
        repaired.found.length === 0
          ? `run ${run.name}: nothing is broken`
          : `run ${run.name}: ${repaired.found.length} problems found, ${repaired.left.length} left after making anew: ${repaired.steps.join(", ")}`,
      ].join("\n"),
    );
    return repaired.left.length === 0 ? 0 : faultCodes.ROWS_CORRUPT.exit;
  } finally {
    await release();
  }
}
