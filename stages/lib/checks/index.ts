import type { Check, CheckResult, CheckView } from "./check.ts";
import { drift } from "./drift.ts";
import { failureKeeping } from "./failure-keeping.ts";
import { grounded } from "./grounded.ts";
import { noLeak } from "./no-leak.ts";
import { stateTrue } from "./state-true.ts";
import { sufficient } from "./sufficient.ts";

/** All checks of a memory, by name. */
export const checks = {
  grounded,
  sufficient,
  "no-leak": noLeak,
  "state-true": stateTrue,
  "failure-keeping": failureKeeping,
  drift,
} satisfies Record<string, Check>;
export type CheckName = keyof typeof checks;

export interface CheckReport extends CheckResult {
  readonly check: string;
}

/** Applies every check, in the order of the registry. */
export const checkMemory = (view: CheckView): CheckReport[] =>
  Object.entries(checks as Record<string, Check>).map(([check, apply]) => ({ check, ...apply(view) }));
