import { assemble, type Entry, type FoundCall } from "../assemble.ts";
import { asFields, asList, field, flagAt, isFields, listAt, textAt, WrongShape, wordAt } from "../lenient.ts";
import type { Dialect } from "./dialect.ts";
import { argumentsText, exitCodeIn } from "./lib-messages.ts";
import { foundRun } from "./lib-run.ts";
import { readParts } from "./lib-sessions.ts";

/**
 * Trajectory of trae-agent: `agent_steps`, each with the reply, its calls and their results; the prompt stands in the first of the
 * `llm_interactions`. An older release has `llm_interaction`, whose entries hold the step as `steps`.
 */
export const trae: Dialect = {
  name: "trae",
  family: "trae",
  recognises(value) {
    const steps = ["agent_steps", "llm_interactions", "llm_interaction"].some((name) => listAt(value, name) !== null);
    return textAt(value, "task") !== null && steps;
  },
  read(value) {
    const steps =
      listAt(value, "agent_steps") ?? asList(field(value, "llm_interaction") ?? [], "llm_interaction").map((one) => field(one, "steps"));
    const entries = steps.flatMap((step, index) => stepEntries(step, index, `agent_steps[${index}]`));
    return foundRun(assemble([...promptOf(value), ...entries]), {
      instance: null,
      model: wordAt(value, "model"),
      callStyle: "native",
      // `success` is the agent's own word; what the tests say is not in here.
      rawExit: flagAt(value, "success") === false ? wordAt(value, "final_result") : null,
    });
  },
};

function promptOf(value: unknown): Entry[] {
  const first = field(listAt(value, "llm_interactions")?.[0], "input_messages") ?? field(listAt(value, "agent_steps")?.[0], "llm_messages");
  const said = (Array.isArray(first) ? first : []).flatMap((message: unknown): Entry[] => {
    const text = textAt(message, "content");
    return text === null || text === "" ? [] : [{ kind: textAt(message, "role") === "system" ? "system" : "user", text }];
  });
  return said.some((entry) => entry.kind === "user") ? said : [...said, { kind: "user", text: textAt(value, "task") ?? "" }];
}

function stepEntries(step: unknown, index: number, where: string): Entry[] {
  const reply = field(asFields(step, where), "llm_response");
  const asked = index === 0 ? [] : nudges(field(step, "llm_messages"));
  // A request that failed is written down as a reply.
  if (!isFields(reply) || textAt(reply, "finish_reason") === "Error") return asked;
  const calls = asList(field(step, "tool_calls") ?? field(reply, "tool_calls") ?? [], `${where}.tool_calls`);
  const { text, reasoning } = readParts(field(reply, "content"), `${where}.llm_response.content`, new Set());
  const turn: Entry = {
    kind: "turn",
    thought: text,
    reasoning,
    calls: calls.map((call, at) => callOf(call, `${where}.tool_calls[${at}]`)),
  };
  const results = asList(field(step, "tool_results") ?? [], `${where}.tool_results`).map(resultOf);
  const reflection = wordAt(step, "reflection");
  return [...asked, turn, ...results, ...(reflection === null ? [] : [{ kind: "user" as const, text: reflection }])];
}

/** What was put to the agent besides results, such as a reminder that its work is not done. */
const nudges = (messages: unknown): Entry[] =>
  (Array.isArray(messages) ? messages : []).flatMap((message: unknown): Entry[] => {
    const text = wordAt(message, "content");
    const plain =
      textAt(message, "role") === "user" && field(message, "tool_result") === undefined && field(message, "tool_call") === undefined;
    return plain && text !== null ? [{ kind: "user", text }] : [];
  });

function callOf(call: unknown, where: string): FoundCall {
  const name = wordAt(asFields(call, where), "name");
  if (name === null) throw new WrongShape(`${where}.name`, "the name of a tool", field(call, "name"));
  const id = wordAt(call, "call_id") ?? wordAt(call, "id");
  return { id, key: id, name, arguments: argumentsText(field(call, "arguments")) };
}

function resultOf(result: unknown): Entry {
  const text = [wordAt(result, "result"), wordAt(result, "error")].filter((part) => part !== null).join("\n");
  const success = flagAt(result, "success");
  return { kind: "result", key: wordAt(result, "call_id"), text, exitCode: exitCodeIn(text), failed: success === null ? null : !success };
}
