import type { ExitStatus } from "../../schemas/trajectory.ts";

/** First match wins; `rawExit` keeps the source's word beside it. */
const table: readonly (readonly [RegExp, ExitStatus])[] = [
  [/^submitted \(|auto.?submi/i, "auto-submitted"],
  [/^(?:submitted|submit|finish|finished|completed|agent|success)$/i, "submitted"],
  [/exit_cost|cost.?limit|budget/i, "cost-limit"],
  [/exit_context|context.?(?:window|limit|length)|token.?limit/i, "context-limit"],
  [/max(?:imum)?[ _]?(?:iteration|step|turn)|step.?limit|maxiteration/i, "step-limit"],
  [/^TimeExceeded$|time.?limit|exit_total_execution_time|exit_command_timeout/i, "time-limit"],
  [/error|exception|early_exit|exit_format|exit_api|exit_environment|^timeout$|failed|STATUS\$/i, "error"],
];

export function exitOf(raw: string | null): ExitStatus {
  if (raw === null) return "unknown";
  return table.find(([pattern]) => pattern.test(raw))?.[1] ?? "unknown";
}

/** What SWE-agent writes in the agent's place when it ends a run; no turn of the agent. */
export const scaffoldNotice = /^(?:Exit due to |Exited \()/;

/** Names of the calls by which an agent ends its run. */
const endings = new Set(["submit", "finish", "Finish", "task_done", "attempt_completion"]);
export const endsRun = (callName: string | undefined): boolean => callName !== undefined && endings.has(callName);
