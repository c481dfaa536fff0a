import type { Mark } from "../../../schemas/trajectory.ts";
import { assemble, type Entry, type FoundCall } from "../assemble.ts";
import { asFields, asList, at, field, isFields, listAt, textAt, WrongShape, wordAt } from "../lenient.ts";
import type { Dialect } from "./dialect.ts";
import { argumentsText, exitCodeIn, reasoningOf } from "./lib-messages.ts";
import { foundRun } from "./lib-run.ts";
import { resultText } from "./lib-sessions.ts";

/**
 * ATIF, the Agent Trajectory Interchange Format: steps with source system, user or agent; an agent's step holds its calls and their
 * results. Steps marked as copied context were taken over from the file before a summarisation.
 */
export const atif: Dialect = {
  name: "atif",
  family: "atif",
  recognises(value) {
    return (textAt(value, "schema_version")?.startsWith("ATIF") ?? false) && Array.isArray(field(value, "steps"));
  },
  read(value) {
    const marks = new Set<Mark>();
    const steps = asList(field(value, "steps"), "steps");
    const entries = steps.flatMap((step, index) => stepEntries(step, `steps[${index}]`, marks));
    if (steps.some((step) => field(step, "is_copied_context") === true)) marks.add("pre-condensed");
    if ((listAt(value, "subagent_trajectories")?.length ?? 0) > 0) marks.add("multi-agent");
    const own = steps.find((step) => wordAt(step, "model_name") !== null);
    return foundRun(assemble(entries), {
      instance: wordAt(value, "extra", "instance_id") ?? wordAt(value, "session_id"),
      model: wordAt(value, "agent", "model_name") ?? wordAt(own, "model_name"),
      callStyle: "native",
      tools: listAt(value, "agent", "tool_definitions"),
      marks: [...marks],
    });
  },
};

function stepEntries(step: unknown, where: string, marks: Set<Mark>): Entry[] {
  const source = textAt(asFields(step, where), "source");
  const text = resultText(field(step, "message"), `${where}.message`, marks);
  const results = (listAt(step, "observation", "results") ?? []).map((result, index): Entry => {
    if (isFields(result) && field(result, "subagent_trajectory_ref") !== undefined) marks.add("multi-agent");
    const seen = resultText(field(result, "content"), `${where}.observation.results[${index}].content`, marks);
    return { kind: "result", key: wordAt(result, "source_call_id"), text: seen, exitCode: exitCodeIn(seen), failed: null };
  });
  if (source === "agent") {
    const calls = asList(field(step, "tool_calls") ?? [], `${where}.tool_calls`).map((call, index) =>
      callOf(call, `${where}.tool_calls[${index}]`),
    );
    return [{ kind: "turn", thought: text, reasoning: reasoningOf(step), calls }, ...results];
  }
  if (source !== "user" && source !== "system") throw new WrongShape(`${where}.source`, "system, user or agent", at(step, "source"));
  // What the machinery observed by itself is no answer to a call.
  const seen = results.map((result): Entry => (result.kind === "result" ? { kind: "user", text: result.text } : result));
  return [{ kind: source, text }, ...seen];
}

function callOf(call: unknown, where: string): FoundCall {
  const name = wordAt(asFields(call, where), "function_name");
  if (name === null) throw new WrongShape(`${where}.function_name`, "the name of a tool", field(call, "function_name"));
  const id = wordAt(call, "tool_call_id");
  return { id, key: id, name, arguments: argumentsText(field(call, "arguments")) };
}
