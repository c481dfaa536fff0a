import { faultCodes } from "../../schemas/fault.ts";
import { stepTable } from "../plan.ts";
import { repairRun } from "../run/repair.ts";
import { sweepTemporaries } from "../store/leftovers.ts";
import { lockRun } from "../store/lock.ts";
import { type CommonOptions, openWithRecipe, print } from "./shared.ts";
import { withWorld } from "./world.ts";

/** `catgen repair`: verifies, makes what is broken anew and nothing else, verifies again. */
export async function repairCommand(options: CommonOptions): Promise<number> {
  const { run, settled } = await openWithRecipe(options);
  const release = await lockRun(run.root);
  try {
    await sweepTemporaries(
      run,
      stepTable.map(({ step }) => step),
    );
    const repaired = await withWorld(run, settled, { ...options, jobs: undefined }, repairRun);
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
