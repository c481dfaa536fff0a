import type { Mark } from "../../../schemas/trajectory.ts";
import { assemble, type Entry, type FoundCall } from "../assemble.ts";
import { asFields, asList, field, isFields, listAt, textAt, WrongShape, wordAt } from "../lenient.ts";
import type { Dialect } from "./dialect.ts";
import { argumentsText } from "./lib-messages.ts";
import { foundRun } from "./lib-run.ts";
import { resultText } from "./lib-sessions.ts";

/** Session of Gemini CLI: messages of type user and gemini; a gemini message holds its calls with their results, and its thoughts. */
export const geminiCli: Dialect = {
  name: "gemini-cli",
  family: "gemini-cli",
  recognises(value) {
    const messages = listAt(value, "messages");
    return textAt(value, "sessionId") !== null && messages !== null && speakers.has(textAt(messages[0], "type") ?? "");
  },
  read(value) {
    const marks = new Set<Mark>();
    const messages = asList(field(value, "messages"), "messages");
    const entries = messages.flatMap((message, index) => entriesOf(message, `messages[${index}]`, marks));
    return foundRun(assemble(entries), {
      instance: wordAt(value, "sessionId"),
      model: wordAt(
        messages.find((message) => wordAt(message, "model") !== null),
        "model",
      ),
      callStyle: "native",
      marks: [...marks],
    });
  },
};

const speakers = new Set(["user", "gemini", "info", "error", "warning"]);

function entriesOf(message: unknown, where: string, marks: Set<Mark>): Entry[] {
  const type = textAt(asFields(message, where), "type");
  if (type !== "user" && type !== "gemini") return []; // notices on the screen, in no message
  const text = resultText(field(message, "content"), `${where}.content`, marks);
  if (type === "user") return [{ kind: "user", text }];
  const calls = asList(field(message, "toolCalls") ?? [], `${where}.toolCalls`);
  const thoughts = (listAt(message, "thoughts") ?? []).map((thought) =>
    [textAt(thought, "subject"), textAt(thought, "description")].filter(Boolean).join("\n"),
  );
  const found = calls.map((call, index) => callOf(call, index, `${where}.toolCalls[${index}]`));
  const turn: Entry = { kind: "turn", thought: text, reasoning: thoughts.filter(Boolean).join("\n\n") || null, calls: found };
  return [turn, ...calls.flatMap((call, index) => resultOf(call, found[index]?.key ?? null, marks))];
}

function callOf(call: unknown, index: number, where: string): FoundCall {
  const name = wordAt(asFields(call, where), "name");
  if (name === null) throw new WrongShape(`${where}.name`, "the name of a tool", field(call, "name"));
  const id = wordAt(call, "id");
  return { id, key: id ?? `${where}:${index}`, name, arguments: argumentsText(field(call, "args")) };
}

/** The parts that went back to the model; what the screen showed (`resultDisplay`) is something else. */
function resultOf(call: unknown, key: string | null, marks: Set<Mark>): Entry[] {
  const parts = listAt(call, "result");
  if (parts === null) return [];
  const said = parts.flatMap((part): string[] => {
    const response = field(field(part, "functionResponse"), "response");
    const text = textAt(response, "output") ?? textAt(response, "error") ?? textAt(part, "text");
    if (text !== null) return [text];
    if (isFields(response)) return [JSON.stringify(response)];
    marks.add("parts-left-out");
    return [];
  });
  const failed = ["error", "cancelled"].includes(textAt(call, "status") ?? "") ? true : null;
  return [{ kind: "result", key, text: said.join("\n"), exitCode: null, failed }];
}
