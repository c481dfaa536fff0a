import { assemble, type Entry, type FoundCall } from "../assemble.ts";
import { asFields, asList, contentText, field, listAt, textAt, WrongShape, wordAt } from "../lenient.ts";
import { taskOfRun } from "../task-text.ts";
import { commandCall } from "../text-calls.ts";
import type { Dialect } from "./dialect.ts";
import { argumentsText, exitCodeIn, reasoningOf } from "./lib-messages.ts";
import { foundRun, rowFacts } from "./lib-run.ts";

/**
 * Rows of agent-data-protocol in its standard form. The converter makes up an approving observation and a closing message for runs that
 * have none, so every row is marked; what is made up and what is not cannot be told apart.
 */
export const adpStandard: Dialect = {
  name: "adp-standard",
  family: "agent-data-protocol",
  recognises(value) {
    return textAt(listAt(value, "content")?.[0], "class_") !== null;
  },
  read(value) {
    const pieces = asList(field(value, "content"), "content");
    const id = wordAt(value, "id");
    const facts = rowFacts(field(value, "details"));
    return foundRun(assemble(entriesOf(pieces)), {
      ...facts,
      instance: facts.instance ?? (id === null ? null : taskOfRun(id)),
      callStyle: "json",
      marks: ["fabricated-turns"],
    });
  },
};

function entriesOf(pieces: readonly unknown[]): Entry[] {
  const entries: Entry[] = [];
  let open = false;
  for (const [index, piece] of pieces.entries()) {
    const where = `content[${index}]`;
    // Later releases write the class in another case: `TextObservation`.
    const kind = textAt(asFields(piece, where), "class_")?.replaceAll("_", "").toLowerCase();
    const thought = textAt(piece, "description") ?? "";
    const reasoning = reasoningOf(piece);
    if (kind === "textobservation") {
      const text = contentText(field(piece, "content"), `${where}.content`);
      entries.push(open ? { kind: "result", key: null, text, exitCode: exitCodeIn(text), failed: null } : { kind: "user", text });
      open = false;
    } else if (kind === "codeaction" || kind === "apiaction") {
      entries.push({ kind: "turn", thought, reasoning, calls: [kind === "codeaction" ? codeCall(piece, where) : apiCall(piece, where)] });
      open = true;
    } else if (kind === "messageaction") {
      const text = contentText(field(piece, "content"), `${where}.content`);
      entries.push({ kind: "turn", thought: [thought, text].filter((part) => part !== "").join("\n"), reasoning, calls: [] });
      open = false;
    } else throw new WrongShape(`${where}.class_`, "a text observation or an action (web pages cannot be kept)", field(piece, "class_"));
  }
  return entries;
}

function codeCall(piece: unknown, where: string): FoundCall {
  const code = textAt(piece, "content");
  if (code === null) throw new WrongShape(`${where}.content`, "code", field(piece, "content"));
  const language = wordAt(piece, "language") ?? "bash";
  return language === "bash" ? commandCall("bash", code) : { id: null, key: null, name: language, arguments: JSON.stringify({ code }) };
}

function apiCall(piece: unknown, where: string): FoundCall {
  const name = wordAt(piece, "function");
  if (name === null) throw new WrongShape(`${where}.function`, "the name of a function", field(piece, "function"));
  return { id: null, key: null, name, arguments: argumentsText(field(piece, "kwargs")) || "{}" };
}
