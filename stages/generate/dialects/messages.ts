import { assemble } from "../assemble.ts";
import { field, isFields, listAt, wordAt } from "../lenient.ts";
import type { Dialect } from "./dialect.ts";
import { looksLikeMessages, readMessages } from "./lib-messages.ts";
import { foundRun, rowFacts } from "./lib-run.ts";
import { miniSweAgent } from "./mini-swe-agent.ts";
import { openhandsCompletions } from "./openhands-completions.ts";

/** Anything with an envelope of its own is somebody else's, readable messages or not. */
const envelopes = ["trajectory_format", "history", "trajectory", "sessionId", "session_id", "loglines", "nodes", "transitions"];

/**
 * Plain OpenAI messages: a list, or a row with `messages` and perhaps `tools`, `instance_id`, `resolved`, `exit_status`, `patch`. Calls are
 * native, or `<function=name>` elements in the text (SWE-smith and SWE-Gym tables).
 */
export const messages: Dialect = {
  name: "messages",
  family: "messages",
  recognises(value, hint) {
    if (miniSweAgent.recognises(value, hint) || openhandsCompletions.recognises(value, hint)) return false;
    if (Array.isArray(value)) return looksLikeMessages(value);
    if (!isFields(value) || envelopes.some((name) => field(value, name) !== undefined)) return false;
    const list = field(value, "messages");
    return typeof list === "string" || looksLikeMessages(list);
  },
  read(value) {
    const list = Array.isArray(value) ? value : field(value, "messages");
    if (typeof list === "string") {
      return { ok: false, kind: "refused", why: "messages is one JSON text, not a list: decode that column first" };
    }
    const read = readMessages(Array.isArray(list) ? list : [], "messages");
    const row = Array.isArray(value) ? undefined : value;
    return foundRun(assemble(read.entries), {
      ...rowFacts(row),
      instance: wordAt(row, "instance_id") ?? wordAt(row, "task_id"),
      callStyle: read.callStyle,
      tools: listAt(row, "tools"),
      marks: read.marks,
    });
  },
};
