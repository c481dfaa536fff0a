import { Fault } from "../../schemas/fault.ts";
import { Metrics } from "../../schemas/metrics.ts";
import { createGathering, type Gathered } from "../../stages/filter/analysis/collect.ts";
import type { Limits } from "../../stages/filter/filters/filter.ts";
import { type Settled, stepKey } from "../keys.ts";
import { stepNamed } from "../plan.ts";
import { readManifests } from "../store/manifests.ts";
import { readOwnRows } from "../store/rows.ts";
import type { RunFolder } from "../store/run-folder.ts";

export interface Gathering {
  readonly gathered: Gathered;
  readonly shards: { readonly measured: number; readonly missing: number };
}

const incomplete = (run: RunFolder, what: string): Fault =>
  new Fault("STAGE_INCOMPLETE", "stop", `${what}; measure first: catgen run 1-5 --run ${run.name} (nothing that is done is done again)`);

/** Reads the metrics of all shards once, in order; `settled` is what they must have been measured by, `limits` what is asked about. */
export async function gatherRun(run: RunFolder, settled: Settled, limits: Limits, progress: () => void): Promise<Gathering> {
  const { step } = stepNamed("measure");
  const { stageKey } = stepKey("measure", settled);
  const manifests = await readManifests(run, step);
  const there = manifests.flatMap((manifest) => manifest ?? []);
  if (there.length === 0) throw incomplete(run, `run ${run.name} has no metrics yet`);
  const stale = there.filter((manifest) => manifest.stageKey !== stageKey).length;
  if (stale > 0)
    throw incomplete(
      run,
      `the metrics of ${stale} of ${run.shards} shards were made by other parameters (see: catgen why 5 --run ${run.name})`,
    );
  const gathering = createGathering(limits);
  for (const manifest of there) {
    for await (const rows of readOwnRows(run, step, manifest, Metrics))
      for (const { id, outcome } of rows) if (outcome.ok) gathering.add(id, outcome.value);
    progress();
  }
  return { gathered: gathering.gathered(), shards: { measured: there.length, missing: run.shards - there.length } };
}
