import type { PartName } from "../../schemas/bundle.ts";
import { Fault } from "../../schemas/fault.ts";
import { stepKey } from "../keys.ts";
import { type RowStepName, type StepInfo, stepNamed, writerOf } from "../plan.ts";
import { readManifest } from "../store/manifests.ts";
import { type RunFolder, runOptions } from "../store/run-folder.ts";
import type { RunContext } from "./context.ts";
import { partsRead, type ShardState, shardState, stepStates } from "./state.ts";

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

/** For a step that needs every shard, `step` is not fresh. */
export const notFresh = (run: RunFolder, needs: string, step: string, { shard, lack }: ShardState): Fault =>
  new Fault(
    "STAGE_INCOMPLETE",
    "stop",
    `${needs} needs every shard of ${step}, and shard ${shard} is ${lack?.kind === "missing" ? "missing" : "stale"}; run everything that is missing with: catgen run all ${runOptions(run)}`,
  );

/** Are all shards of the row steps there and fresh? Records that failed are left for a later try. */
export async function requireAllFresh({ run, settled }: Pick<RunContext, "run" | "settled">, needs: string): Promise<void> {
  for (const name of ["detect", "condense", "stitch", "measure", "judge"] as const) {
    const stale = (await stepStates(run, name, settled)).find(({ lack }) => lack !== null && lack.kind !== "failures");
    if (stale !== undefined) throw notFresh(run, needs, stepNamed(name).step, stale);
  }
}
