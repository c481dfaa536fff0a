import type { z } from "zod";
import { Metrics } from "./metrics.ts";
import { Selection } from "./selection.ts";
import { Detection, Memory, Workspace } from "./sidecars.ts";
import { Trajectory } from "./trajectory.ts";
import { Verdict } from "./verdict.ts";

/** Everything known about one trajectory, by the name of the part. Each part is written by exactly one stage. */
export const parts = {
  trajectory: Trajectory,
  detection: Detection,
  memory: Memory,
  workspace: Workspace,
  metrics: Metrics,
  verdict: Verdict,
  selection: Selection,
} as const;

export type PartName = keyof typeof parts;
export type Bundle = { readonly [K in PartName]: z.infer<(typeof parts)[K]> };
