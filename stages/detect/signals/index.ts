import { directionChange } from "./direction-change.ts";
import { fallingUtilisation } from "./falling-utilisation.ts";
import { loop } from "./loop.ts";
import { milestone } from "./milestone.ts";
import { phaseChange } from "./phase-change.ts";
import { planStep } from "./plan-step.ts";
import { repeatedFailures } from "./repeated-failures.ts";
import type { Signal } from "./signal.ts";
import { subtaskCompleted } from "./subtask-completed.ts";
import { sustainedGrowth } from "./sustained-growth.ts";
import { windowOccupancy } from "./window-occupancy.ts";
import { workingSetChange } from "./working-set-change.ts";

/** Reasons for a context call, by the keys of the recipe's `detect.weights`; the families are those of CAT 2.4 (1). */
export const signals = {
  "window-occupancy": windowOccupancy,
  "sustained-growth": sustainedGrowth,
  "falling-utilisation": fallingUtilisation,
  "subtask-completed": subtaskCompleted,
  "phase-change": phaseChange,
  "working-set-change": workingSetChange,
  milestone,
  "plan-step": planStep,
  "repeated-failures": repeatedFailures,
  loop,
  "direction-change": directionChange,
} satisfies Record<string, Signal>;
export type SignalName = keyof typeof signals;
