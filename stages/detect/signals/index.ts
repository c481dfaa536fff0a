import { newDirection } from "./new-direction.ts";
import type { Signal } from "./signal.ts";
import { subtaskCompleted } from "./subtask-completed.ts";
import { windowGrowth } from "./window-growth.ts";

/** Reasons for a context call, by the keys of the recipe's `detect.weights`. One per family of CAT 2.4 (1). */
export const signals = {
  "window-growth": windowGrowth,
  "subtask-completed": subtaskCompleted,
  "new-direction": newDirection,
} satisfies Record<string, Signal>;
export type SignalName = keyof typeof signals;
