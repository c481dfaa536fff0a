import { assemble } from "../assemble.ts";
import { field, isFields, wordAt } from "../lenient.ts";
import { isAutoCodeRoverChat } from "../other-formats.ts";
import type { Dialect } from "./dialect.ts";
import { messagesOf, readMessages, toolsOf } from "./lib-messages.ts";
import { foundRun, rowFacts } from "./lib-run.ts";
import { miniSweAgent } from "./mini-swe-agent.ts";
import { openhandsCompletions } from "./openhands-completions.ts";
import { sweGym } from "./swe-gym.ts";
import { swePlay } from "./swe-play.ts";
import { sweSmith } from "./swe-smith.ts";

/** Anything with an envelope of its own is somebody else's, readable messages or not. */
const envelopes = ["trajectory_format", "history", "trajectory", "sessionId", "session_id", "loglines", "nodes", "transitions"];

/** Those that hold messages like these and say more about them. */
const closer: readonly Dialect[] = [miniSweAgent, openhandsCompletions, sweSmith, sweGym, swePlay];

/**
 * Plain OpenAI messages: a list, or a row with `messages` (a list, or its JSON text) and perhaps `tools`, `instance_id`, `resolved`,
 * `exit_status`, `patch`. Calls are native, or `<function=name>` elements in the text.
 */
export const messages: Dialect = {
  name: "messages",
  family: "messages",
  recognises(value, hint) {
    if (isFields(value) && envelopes.some((name) => field(value, name) !== undefined)) return false;
    const list = messagesOf(value);
    return list !== null && !isAutoCodeRoverChat(list) && !closer.some((dialect) => dialect.recognises(value, hint));
  },
  read(value) {
    const read = readMessages(messagesOf(value) ?? [], "messages");
    const row = Array.isArray(value) ? undefined : value;
    const facts = rowFacts(row);
    return foundRun(assemble(read.entries), {
      ...facts,
      instance: wordAt(row, "instance_id") ?? wordAt(row, "task_id") ?? facts.instance,
      callStyle: read.callStyle,
      tools: toolsOf(row),
      marks: read.marks,
    });
  },
};
