import { assemble } from "../assemble.ts";
import { asList, field, isFields, listAt, wordAt } from "../lenient.ts";
import type { Dialect } from "./dialect.ts";
import { looksLikeMessages, readMessages } from "./lib-messages.ts";
import { foundRun } from "./lib-run.ts";

/**
 * One logged model call of OpenHands V0 holds the whole run so far: the prompt (`messages`) and the reply (`response`). Where function
 * calling was made by prompt, `fncall_messages` and `fncall_response` hold the same run with structured calls, and these are read.
 * Nothing in it names the task; the file or its folder does.
 */
export const openhandsCompletions: Dialect = {
  name: "openhands-completions",
  family: "openhands",
  recognises(value) {
    if (!isFields(value)) return false;
    const list = field(value, "fncall_messages") ?? field(value, "messages");
    return looksLikeMessages(list) && (isFields(field(value, "response")) || field(value, "fncall_messages") !== undefined);
  },
  read(value) {
    const structured = field(value, "fncall_messages") !== undefined;
    const list = asList(field(value, structured ? "fncall_messages" : "messages"), structured ? "fncall_messages" : "messages");
    const reply = replyOf(field(value, "fncall_response")) ?? replyOf(field(value, "response"));
    // The reply comes after everything that was asked; a call that failed has none.
    const read = readMessages(reply === null ? list : [...list, reply], structured ? "fncall_messages" : "messages");
    return foundRun(assemble(read.entries), {
      instance: wordAt(value, "instance_id"),
      model: wordAt(value, "response", "model") ?? wordAt(value, "kwargs", "model"),
      callStyle: structured ? "xml" : read.callStyle,
      tools: listAt(value, "kwargs", "tools"),
      marks: read.marks,
    });
  },
};

function replyOf(response: unknown): unknown {
  const [choice] = listAt(response, "choices") ?? [];
  const message = field(choice, "message");
  return isFields(message) ? message : null;
}

/** Identity of each message of a logged call, without cache settings, which move from call to call: a run's calls are prefixes of one another. */
export function promptKeys(value: unknown): string[] {
  return (listAt(value, "messages") ?? []).map((message) => {
    const content = field(message, "content");
    const parts = Array.isArray(content) ? content.map((part: unknown) => field(part, "text") ?? null) : [content ?? null];
    return JSON.stringify([field(message, "role"), parts, field(message, "tool_calls") ?? null, field(message, "tool_call_id") ?? null]);
  });
}
