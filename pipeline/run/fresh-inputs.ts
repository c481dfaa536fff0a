import type { PartName } from "../../schemas/bundle.ts";
import { Fault } from "../../schemas/fault.ts";
import { stepKey } from "../keys.ts";
import { type RowStepName, type StepInfo, writerOf } from "../plan.ts";
import { readManifest } from "../store/manifests.ts";
import { runOptions } from "../store/run-folder.ts";
import type { RunContext } from "./context.ts";
import { partsRead, shardState } from "./state.ts";

/** Why a part of a shard cannot be read now; null when it is fresh, and so is all it rests on. */
async function unfit(context: RunContext, part: PartName, shard: number): Promise<{ step: StepInfo; state: string } | null> {
  const step = writerOf(part);
  if (step.name === "generate") return (await readManifest(context.run, step.step, shard)) === null ? { step, state: "missing" } : null;
  const name = step.name as RowStepName;
  for (const below of partsRead(name)) {
    const found = await unfit(context, below, shard);
    if (found !== null) return found;
  }
  const { lack } = await shardState(context.run, name, shard, stepKey(name, context.settled).stageKey);
  return lack === null || lack.kind === "failures" ? null : { step, state: lack.kind === "missing" ? "missing" : "stale" };
}

/** Rows that this shard of the step will read. Stale joins are refused: new segments must not meet old verdicts. */
export async function requireFreshInputs(context: RunContext, name: RowStepName, shard: number): Promise<number> {
  for (const part of partsRead(name)) {
    const found = await unfit(context, part, shard);
    if (found === null) continue;
    const { step, state } = found;
    throw new Fault(
      "STAGE_INCOMPLETE",
      "stop",
      `${name} needs ${step.writes}, and shard ${shard} of ${step.step} is ${state}; run it first: catgen run ${step.number} ${runOptions(context.run)}, or everything with: catgen run all ${runOptions(context.run)}`,
    );
  }
  const [first] = partsRead(name);
  return first === undefined ? 0 : ((await readManifest(context.run, writerOf(first).step, shard))?.output.rows ?? 0);
}
