import type { Call, Outcome, Step, Task } from "../../schemas/trajectory.ts";
import type { SecretOptions } from "../lib/secrets/find-secrets.ts";
import { createScrubber, type Scrubber } from "../lib/secrets/scrubber.ts";
import type { FoundRun } from "./dialects/dialect.ts";

type Told = Pick<FoundRun, "task" | "steps" | "outcome">;
type Map = (text: string) => string;

const orNull = (text: string | null, map: Map): string | null => (text === null ? null : map(text));

/** Every text of a run through `text`, raw JSON texts through `json`, in the order in which the agent saw them. */
function mapped(run: Told, text: Map, json: Map): Told {
  const task: Task = {
    ...run.task,
    system: orNull(run.task.system, text),
    prompt: text(run.task.prompt),
    issue: orNull(run.task.issue, text),
    tools: run.task.tools.map(json),
  };
  const call = (one: Call): Call => ({ ...one, arguments: json(one.arguments), result: orNull(one.result, text) });
  const steps = run.steps.map(
    (step): Step => ({
      thought: text(step.thought),
      reasoning: orNull(step.reasoning, text),
      calls: step.calls.map(call),
      feedback: step.feedback.map(text),
    }),
  );
  const { evidence, rawExit, patch } = run.outcome;
  const outcome: Outcome = {
    ...run.outcome,
    evidence: evidence === null ? null : { ...evidence, detail: text(evidence.detail) },
    rawExit: orNull(rawExit, text),
    patch: orNull(patch, text),
  };
  return { task, steps, outcome };
}

/** A token that one command printed half and the next one the other half. */
function learnSeams(steps: readonly Step[], scrubber: Scrubber): void {
  let before: string | null = null;
  for (const { result } of steps.flatMap((step) => step.calls)) {
    if (before !== null && result !== null) scrubber.learnSeam(before, result);
    before = result;
  }
}

/**
 * The run without secrets, and without the personal data that the recipe names; the very same run where there are none. Two passes: what is
 * found anywhere is replaced everywhere, so that an edit still matches the file it was read from.
 */
export function scrubRun(run: FoundRun, options: SecretOptions): FoundRun {
  const scrubber = createScrubber(options);
  mapped(
    run,
    (text) => {
      scrubber.learn(text);
      return text;
    },
    (text) => {
      scrubber.learnJson(text);
      return text;
    },
  );
  learnSeams(run.steps, scrubber);
  if (!scrubber.dirty) return run;
  return { ...run, ...mapped(run, scrubber.text, scrubber.json), marks: [...run.marks, "scrubbed"] };
}
