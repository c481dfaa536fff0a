import type { Call, Step, Trajectory } from "../../schemas/trajectory.ts";
import { type Conduct, conductOf } from "../../stages/filter/conduct/conduct.ts";
import { trajectoryOf } from "./steps.ts";

/** The conduct of a run, as measures see it where no persona renders it. */
export const conductOfRun = (trajectory: Trajectory): Conduct => conductOf({ trajectory, rendered: null });

export const conductOfSteps = (steps: readonly Step[], patch: string | null = null): Conduct => conductOfRun(trajectoryOf(steps, patch));

/** One call of any tool with its answer. */
export const callStep = (name: string, args: object | string, result: string | null, more: Partial<Call> = {}): Step => ({
  thought: "",
  reasoning: null,
  calls: [
    { id: null, name, arguments: typeof args === "string" ? args : JSON.stringify(args), result, exitCode: null, failed: null, ...more },
  ],
  feedback: [],
});

/** A shell command that ends with this exit code. */
export const shellStep = (command: string, result = "", exitCode = 0): Step => callStep("execute_bash", { command }, result, { exitCode });
