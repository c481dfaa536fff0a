import type { LauncherName, LaunchFile, LaunchPlan } from "../launcher.ts";

/** What starts a trainer's `run.sh` on all hosts. */
export interface Engine {
  /** One line on how the file is used, `FILE` standing for its path. */
  readonly usage: string;
  file(plan: LaunchPlan, trainer: LauncherName): LaunchFile;
}
