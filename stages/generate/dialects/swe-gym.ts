import { assemble } from "../assemble.ts";
import { field, isFields, wordAt } from "../lenient.ts";
import { withoutRunNumber } from "../task-text.ts";
import type { Dialect } from "./dialect.ts";
import { messagesOf, readMessages, toolsOf } from "./lib-messages.ts";
import { foundRun, rowFacts } from "./lib-run.ts";

/**
 * Rows of SWE-Gym/OpenHands-Sampled-Trajectories: native calls, several in one turn at times, every field that a message lacks filled
 * with null; `run_id` names the model and its settings, `test_result` holds the patch.
 */
export const sweGym: Dialect = {
  name: "swe-gym",
  family: "swe-gym",
  recognises(value) {
    return wordAt(value, "run_id") !== null && isFields(field(value, "test_result")) && messagesOf(value) !== null;
  },
  read(value) {
    const read = readMessages(messagesOf(value) ?? [], "messages");
    const facts = rowFacts(value);
    return foundRun(assemble(read.entries), {
      ...facts,
      instance: facts.instance === null ? null : withoutRunNumber(facts.instance),
      callStyle: read.callStyle,
      tools: toolsOf(value),
      marks: read.marks,
    });
  },
};
