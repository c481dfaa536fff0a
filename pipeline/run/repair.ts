import { rm } from "node:fs/promises";
import { Fault } from "../../schemas/fault.ts";
import { type StepInfo, stepTable } from "../plan.ts";
import { finishedRecords } from "../rollout/records.ts";
import { exportManifestPath, manifestPath, type RunFolder } from "../store/run-folder.ts";
import type { RunContext } from "./context.ts";
import { runExport } from "./export.ts";
import { runGenerate } from "./generate.ts";
import { forgotten, readInputs, writeInputs } from "./inputs.ts";
import { auditsToPull, pullRows } from "./pull.ts";
import { runStage } from "./run-stage.ts";
import { runSelect } from "./select.ts";
import { type Damage, verifyRun } from "./verify.ts";

export interface Repaired {
  readonly found: readonly Damage[];
  /** Steps that were run to make the broken shards anew. */
  readonly steps: readonly string[];
  readonly left: readonly Damage[];
}

const stepOf = (damage: Damage): StepInfo | undefined => stepTable.find((info) => info.step === damage.stage);

/** Shards of a step that are damaged. What is merely stale is no business of a repair. */
const shardsOf = (damage: readonly Damage[], { step }: StepInfo): number[] => [
  ...new Set(damage.flatMap(({ stage, shard }) => (stage === step && shard !== null ? [shard] : []))),
];

/** Without its manifest a shard is not done, so that running its step makes it anew; what is whole is kept. */
async function forget(run: RunFolder, damage: readonly Damage[]): Promise<void> {
  for (const { stage, shard } of damage) {
    if (shard !== null) await rm(manifestPath(run, stage, shard), { force: true });
    else if (stage === "6-export") await rm(exportManifestPath(run), { force: true });
  }
}

/** Makes broken shards anew, and only those: from the rows they rest on, or from the input files. `own`: those of the verdict set alone. */
export async function repairRun(context: RunContext, own = false): Promise<Repaired> {
  const { run } = context;
  const nothing = (): void => undefined;
  const { damage: found } = await verifyRun(run, nothing, own);
  const broken = new Set(found.map((damage) => stepOf(damage)?.name));
  const inputs = await readInputs(run);
  if (broken.has("generate") && inputs === null)
    throw new Fault(
      "STAGE_INCOMPLETE",
      "stop",
      `what run ${run.name} imported is damaged, and it is not known from which input; import again: catgen run 1 --run ${run.name} --input PATH`,
    );
  await forget(run, found);
  if (inputs !== null && found.length > 0) await pullRows(context, await auditsToPull(context.settled, inputs.paths, true));
  const steps: string[] = [];
  for (const info of stepTable) {
    if (!broken.has(info.name)) continue;
    if (info.name === "generate" && inputs !== null) {
      await writeInputs(run, forgotten(inputs)); // read every file again; shards that are whole stay as they are
      await runGenerate(context, { paths: inputs.paths, records: await finishedRecords(context.run), limit: inputs.limit });
    } else if (info.name === "export") await runExport(context);
    else if (info.name === "select") await runSelect(context);
    else if (info.name !== "generate") await runStage(context, info.name, shardsOf(found, info));
    steps.push(info.step);
  }
  return { found, steps, left: found.length === 0 ? [] : (await verifyRun(run, nothing, own)).damage };
}
