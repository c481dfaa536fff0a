import { assemble, type Entry } from "../assemble.ts";
import { asFields, asList, field, isFields, listAt, textAt, WrongShape, wordAt } from "../lenient.ts";
import { taskOfRun } from "../task-text.ts";
import { cutXmlCall } from "../text-calls.ts";
import type { Dialect } from "./dialect.ts";
import { argumentsText, exitCodeIn, textResult, toolsOf } from "./lib-messages.ts";
import { foundRun } from "./lib-run.ts";

/** In backticks, since a search for imports would take the word in quotes for one. */
const speaker = (turn: unknown): string | null => textAt(turn, `from`);

/**
 * ShareGPT rows, `conversations` of `from` and `value`, as agent-data-protocol writes them: calls are `<function=name>` elements, or texts
 * of their own (`function_call`). Rewritten by a converter that makes up turns, so every row is marked.
 */
export const sharegpt: Dialect = {
  name: "sharegpt",
  family: "sharegpt",
  recognises(value) {
    const first = listAt(value, "conversations")?.[0];
    return isFields(first) && speaker(first) !== null && field(first, "value") !== undefined;
  },
  read(value) {
    const system = textAt(value, "system");
    const opening: Entry[] = system === null || system === "" ? [] : [{ kind: "system", text: system }];
    const turns = asList(field(value, "conversations"), "conversations");
    const id = wordAt(value, "id");
    return foundRun(assemble([...opening, ...entriesOf(turns)]), {
      instance: id === null ? null : taskOfRun(id),
      model: null,
      callStyle: turns.some((turn) => speaker(turn) === "function_call") ? "json" : "xml",
      tools: toolsOf(value),
      marks: ["fabricated-turns"],
    });
  },
};

const users = new Set(["human", "user", "tool", "observation", "system"]);

function entriesOf(turns: readonly unknown[]): Entry[] {
  const entries: Entry[] = [];
  let open = false;
  for (const [index, turn] of turns.entries()) {
    const where = `conversations[${index}]`;
    const from = speaker(asFields(turn, where)) ?? "";
    const text = textAt(turn, "value");
    if (text === null) throw new WrongShape(`${where}.value`, "text", field(turn, "value"));
    if (from === "gpt" || from === "assistant") {
      const cut = cutXmlCall(text);
      open = cut !== null;
      entries.push({ kind: "turn", thought: cut?.thought ?? text, reasoning: null, calls: cut === null ? [] : [cut.call] });
    } else if (from === "function_call") {
      entries.push(jsonCall(text, where));
      open = true;
    } else if (!users.has(from)) {
      throw new WrongShape(`${where}.from`, "human, gpt, function_call, observation or system", from);
    } else if (from === "observation" || from === "tool") {
      entries.push({ kind: "result", key: null, text, exitCode: exitCodeIn(text), failed: null });
      open = false;
    } else if (open && from !== "system") {
      entries.push(textResult(text));
      open = false;
    } else entries.push({ kind: from === "system" ? "system" : "user", text });
  }
  return entries;
}

/** `{"name": ..., "arguments": {...}}`, with whatever the model said before it. */
function jsonCall(text: string, where: string): Extract<Entry, { kind: "turn" }> {
  const start = text.indexOf("{");
  const call = start < 0 ? undefined : parsed(text.slice(start));
  const name = wordAt(call, "name");
  if (name === null) throw new WrongShape(`${where}.value`, "a call as JSON with a name", text);
  const given = field(call, "arguments");
  return {
    kind: "turn",
    thought: text.slice(0, start).trimEnd(),
    reasoning: null,
    calls: [{ id: null, key: null, name, arguments: argumentsText(given) }],
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
