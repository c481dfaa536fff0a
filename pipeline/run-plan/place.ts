import type { Settled } from "../keys.ts";
import type { Progress } from "../progress.ts";
import type { RunFolder } from "../store/run-folder.ts";

/** Where a plan is made. Nothing in these folders is changed by it. */
export interface PlanPlace {
  /** A run that does not exist yet has no shards, and all that is looked for in it is absent. */
  readonly run: RunFolder;
  readonly exists: boolean;
  readonly settled: Settled;
  /** All runs beside it: their ledgers tell how fast an endpoint is. */
  readonly runsFolder: string;
  readonly cacheFolder: string;
  readonly progress: Progress;
}
