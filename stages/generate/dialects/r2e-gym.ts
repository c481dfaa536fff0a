import { assemble, type Entry } from "../assemble.ts";
import { asFields, asList, field, flagAt, isFields, listAt, textAt, wordAt } from "../lenient.ts";
import { cutXmlCall } from "../text-calls.ts";
import type { Dialect } from "./dialect.ts";
import { exitCodeIn } from "./lib-messages.ts";
import { foundRun } from "./lib-run.ts";

/**
 * R2E-Gym's log of a run: `trajectory_steps` of thought, action (a `<function=name>` element) and observation. The prompt around the
 * problem statement is not stored; `reward` is the verdict of the hidden tests.
 */
export const r2eGym: Dialect = {
  name: "r2e-gym",
  family: "r2e-gym",
  recognises(value) {
    const steps = listAt(value, "trajectory_steps");
    return steps !== null && (steps.length === 0 || (isFields(steps[0]) && textAt(steps[0], "action") !== null));
  },
  read(value) {
    const issue = textAt(value, "problem_statement");
    const prompt: Entry[] = issue === null ? [] : [{ kind: "user", text: issue }];
    const steps = asList(field(value, "trajectory_steps"), "trajectory_steps");
    const entries = steps.flatMap((step, index) => stepEntries(step, `trajectory_steps[${index}]`));
    const condensed = steps.some((step) => textAt(step, "observation")?.startsWith("<Observation condensed") ?? false);
    return foundRun(assemble([...prompt, ...entries]), {
      instance: wordAt(value, "ds", "instance_id") ?? wordAt(value, "docker_image") ?? wordAt(value, "ds", "docker_image"),
      model: wordAt(value, "agent_args", "llm_name"),
      callStyle: "xml",
      issue: issue?.trim() || null,
      resolved: flagAt(value, "reward"),
      resolvedBy: "reward",
      rawExit: wordAt(value, "exit_reason"),
      patch: textAt(value, "output_patch"),
      marks: condensed ? ["pre-condensed"] : [],
    });
  },
};

function stepEntries(step: unknown, where: string): Entry[] {
  const action = textAt(asFields(step, where), "action") ?? "";
  const thought = textAt(step, "thought") ?? "";
  const cut = cutXmlCall(action);
  // Without a call the reply is all in one piece; R2E-Gym then answers with a complaint.
  const said = cut === null ? [thought, action].filter((part) => part.trim() !== "").join("\n\n") : thought;
  const seen = textAt(step, "observation");
  const turn: Entry = { kind: "turn", thought: said, reasoning: null, calls: cut === null ? [] : [cut.call] };
  if (seen === null) return [turn];
  if (cut === null) return seen === "" ? [turn] : [turn, { kind: "user", text: seen }];
  return [turn, { kind: "result", key: null, text: seen, exitCode: exitCodeIn(seen), failed: null }];
}
