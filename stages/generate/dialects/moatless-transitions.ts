import { assemble, type Entry } from "../assemble.ts";
import { asFields, asList, field, isFields, listAt, textAt, WrongShape, wordAt } from "../lenient.ts";
import { objectText } from "../text-calls.ts";
import type { Dialect } from "./dialect.ts";
import { exitCodeIn } from "./lib-messages.ts";
import { foundRun } from "./lib-run.ts";

/**
 * Moatless of mid-2024: a state machine, `transitions` of states with their actions. What the agent was shown next is stored only where
 * the state answered with a message; elsewhere the result is missing, and marked so.
 */
export const moatlessTransitions: Dialect = {
  name: "moatless-transitions",
  family: "moatless",
  recognises(value) {
    const [first] = listAt(value, "transitions") ?? [];
    return isFields(first) && textAt(value, "initial_message") !== null;
  },
  read(value) {
    const prompt: Entry = { kind: "user", text: textAt(value, "initial_message") ?? "" };
    const transitions = asList(field(value, "transitions"), "transitions");
    const entries = transitions.flatMap((transition, index) => stateEntries(transition, `transitions[${index}]`));
    return foundRun(assemble([prompt, ...entries]), {
      instance: wordAt(value, "info", "instance_id"),
      model: wordAt(
        transitions.find((transition) => wordAt(transition, "state", "model") !== null),
        "state",
        "model",
      ),
      callStyle: "json",
      rawExit: wordAt(value, "info", "status"),
      patch: textAt(value, "info", "submission"),
      issue: prompt.text.trim() || null,
    });
  },
};

const thoughts = new Set(["scratch_pad", "thoughts"]);

function stateEntries(transition: unknown, where: string): Entry[] {
  const name = wordAt(asFields(transition, where), "name");
  if (name === null) throw new WrongShape(`${where}.name`, "the name of a state", field(transition, "name"));
  return asList(field(transition, "actions") ?? [], `${where}.actions`).flatMap((entry, index): Entry[] => {
    const action = asFields(field(entry, "action"), `${where}.actions[${index}].action`);
    const own = Object.entries(action).filter(([key]) => !thoughts.has(key));
    const thought = textAt(action, "scratch_pad") ?? textAt(action, "thoughts") ?? "";
    const turn: Entry = { kind: "turn", thought, reasoning: null, calls: [{ id: null, key: null, name, arguments: objectText(own) }] };
    const seen = textAt(entry, "output", "message");
    return seen === null ? [turn] : [turn, { kind: "result", key: null, text: seen, exitCode: exitCodeIn(seen), failed: null }];
  });
}
