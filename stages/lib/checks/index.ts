import type { Check, CheckResult, CheckView } from "./check.ts";

/** All checks of a memory, by name. */
export const checks = {} satisfies Record<string, Check>;
export type CheckName = keyof typeof checks;

export interface CheckReport extends CheckResult {
  readonly check: string;
}

/** Applies every check, in the order of the registry. */
export const checkMemory = (view: CheckView): CheckReport[] =>
  Object.entries(checks as Record<string, Check>).map(([check, apply]) => ({ check, ...apply(view) }));
