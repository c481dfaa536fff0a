import type { ShardManifest } from "../../schemas/manifest.ts";
import type { Ports } from "../../stages/stage.ts";
import type { Settled } from "../keys.ts";
import type { Progress } from "../progress.ts";
import type { RunFolder } from "../store/run-folder.ts";

/** What every step of one invocation works with. */
export interface RunContext {
  readonly run: RunFolder;
  readonly settled: Settled;
  readonly ports: Ports;
  readonly progress: Progress;
  /** Aborted = drain: finish what is in flight, take on nothing new. */
  readonly signal: AbortSignal;
  /** Threads for steps that compute; null: as many as the machine has cores and the work is worth. */
  readonly jobs: number | null;
  /** Records in flight in a step that waits for the model. */
  readonly recordsAtOnce: number;
}

/** What a step did, for the summary. */
export interface StepSummary {
  readonly step: string;
  readonly shardsMade: number;
  readonly shardsKept: number;
  readonly rowsMade: number;
  readonly rowsReused: number;
  /** Records on which something broke here; those that only wait for an earlier stage are not among them. */
  readonly failures: ShardManifest["failures"];
}
