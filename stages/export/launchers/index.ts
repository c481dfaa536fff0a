import { axolotl } from "./axolotl.ts";
import type { Launcher, LaunchFile, LaunchPlan } from "./launcher.ts";
import { prepareModel } from "./prepare-model.ts";
import { slurm } from "./slurm.ts";
import { trl } from "./trl.ts";

export const launchers = { axolotl, trl } satisfies Record<string, Launcher>;
export type LauncherName = keyof typeof launchers;

/** Everything beside the data that a training needs. */
export const launchFiles = (plan: LaunchPlan): LaunchFile[] => [
  ...Object.values<Launcher>(launchers).flatMap((launcher) => launcher.files(plan)),
  slurm(plan),
  prepareModel(plan),
];
