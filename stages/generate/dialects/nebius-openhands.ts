import { assemble } from "../assemble.ts";
import { asList, field, isFields } from "../lenient.ts";
import type { Dialect } from "./dialect.ts";
import { looksLikeMessages, readMessages, toolsOf } from "./lib-messages.ts";
import { foundRun, rowFacts } from "./lib-run.ts";

/**
 * Rows of nebius/SWE-rebench-openhands-trajectories: OpenAI messages under `trajectory`, every field that a message lacks filled with null,
 * arguments as text or as an object, `resolved` as 0 or 1, `model_patch`, `exit_status`.
 */
export const nebiusOpenhands: Dialect = {
  name: "nebius-openhands",
  family: "nebius",
  recognises(value) {
    return isFields(value) && looksLikeMessages(field(value, "trajectory")) && field(value, "history") === undefined;
  },
  read(value) {
    const read = readMessages(asList(field(value, "trajectory"), "trajectory"), "trajectory");
    return foundRun(assemble(read.entries), {
      ...rowFacts(value),
      callStyle: read.callStyle,
      tools: toolsOf(value),
      marks: read.marks,
    });
  },
};
