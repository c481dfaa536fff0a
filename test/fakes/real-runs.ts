import { existsSync } from "node:fs";
import { join } from "node:path";
import { planInputs } from "../../pipeline/import/plan.ts";
import { readUnit } from "../../pipeline/import/read.ts";
import type { Trajectory } from "../../schemas/trajectory.ts";

/** Public runs beside the checkout, which a user's checkout does not have. */
export const realFolder = join(import.meta.dirname, "../../../shared/trajectories");
export const realRunsAreThere = existsSync(realFolder);

/** All of them, or those under some of its files and folders. */
export async function realRuns(under: readonly string[] = [""]): Promise<Trajectory[]> {
  const trajectories: Trajectory[] = [];
  for (const unit of await planInputs(under.map((path) => join(realFolder, path))))
    for await (const event of readUnit(unit, { source: null, licence: null, maxRecordBytes: 256_000_000 }))
      if (event.kind === "run") trajectories.push(event.trajectory);
  return trajectories;
}
