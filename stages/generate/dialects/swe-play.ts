import { assemble } from "../assemble.ts";
import { field, peekText, textAt, wordAt } from "../lenient.ts";
import { hasXmlCall } from "../text-calls.ts";
import type { Dialect } from "./dialect.ts";
import { messagesOf, readMessages } from "./lib-messages.ts";
import { foundRun } from "./lib-run.ts";

/** Rows of SWE-Play: OpenHands' `<function=name>` elements in the text, `category` and `source` of the made-up task beside them. */
export const swePlay: Dialect = {
  name: "swe-play",
  family: "swe-play",
  recognises(value) {
    const named = ["category", "source", "id"].every((name) => textAt(value, name) !== null);
    const others = wordAt(value, "traj_id") ?? wordAt(value, "run_id");
    return (
      named && others === null && (messagesOf(value)?.some((message) => hasXmlCall(peekText(field(message, "content")) ?? "")) ?? false)
    );
  },
  read(value) {
    const read = readMessages(messagesOf(value) ?? [], "messages");
    return foundRun(assemble(read.entries), {
      instance: wordAt(value, "id"),
      model: null,
      callStyle: read.callStyle,
      marks: read.marks,
    });
  },
};
