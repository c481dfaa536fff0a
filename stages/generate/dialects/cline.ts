import type { Mark } from "../../../schemas/trajectory.ts";
import { assemble, type Entry } from "../assemble.ts";
import { asFields, asList, field, listAt, textAt, WrongShape, wordAt } from "../lenient.ts";
import type { Dialect } from "./dialect.ts";
import { foundRun } from "./lib-run.ts";
import { readParts, userEntries } from "./lib-sessions.ts";

/**
 * Session of Cline: messages of typed parts with role user and assistant. A compaction rewrites them; its summary then opens the session and
 * is kept, since it is all there is of what went before.
 */
export const cline: Dialect = {
  name: "cline",
  family: "cline",
  recognises(value) {
    const messages = listAt(value, "messages");
    const role = textAt(messages?.[0], "role");
    return textAt(value, "sessionId") !== null && (role === "user" || role === "assistant") && textAt(messages?.[0], "type") === null;
  },
  read(value) {
    const marks = new Set<Mark>();
    const system = textAt(value, "system_prompt");
    const opening: Entry[] = system === null || system === "" ? [] : [{ kind: "system", text: system }];
    const messages = asList(field(value, "messages"), "messages");
    const entries = messages.flatMap((message, index) => entriesOf(message, `messages[${index}]`, marks));
    return foundRun(assemble([...opening, ...entries]), {
      instance: wordAt(value, "sessionId"),
      model: wordAt(
        messages.find((message) => wordAt(message, "modelInfo", "id") !== null),
        "modelInfo",
        "id",
      ),
      callStyle: "native",
      marks: [...marks],
    });
  },
};

function entriesOf(message: unknown, where: string, marks: Set<Mark>): Entry[] {
  const role = textAt(asFields(message, where), "role");
  const compaction = textAt(message, "metadata", "kind") ?? textAt(message, "metadata", "compaction");
  if (compaction?.startsWith("compaction") || compaction === "preserved") marks.add("pre-condensed");
  const parts = readParts(field(message, "content"), `${where}.content`, marks);
  if (role === "assistant") return [{ kind: "turn", thought: parts.text, reasoning: parts.reasoning, calls: parts.calls }];
  if (role === "user") return userEntries(parts);
  throw new WrongShape(`${where}.role`, "user or assistant", field(message, "role"));
}
