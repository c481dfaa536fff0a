import type { SourceCallStyle } from "../../../schemas/trajectory.ts";
import { assemble, type Entry } from "../assemble.ts";
import { asFields, contentText, field, peekText, textAt, wordAt } from "../lenient.ts";
import { actionCall, cutLastFence, hasXmlCall } from "../text-calls.ts";
import type { Dialect } from "./dialect.ts";
import { messagesOf, type ReadMessages, readMessages, reasoningOf, textResult, toolsOf } from "./lib-messages.ts";
import { foundRun, rowFacts } from "./lib-run.ts";

/**
 * Rows of SWE-bench/SWE-smith-trajectories: `messages` as a list or as its JSON text, `instance_id`, `traj_id`, `resolved`, `patch`. The
 * split `tool` has native calls, `xml` has `<function=name>` elements, `ticks` ends each reply with a code block of one command.
 */
export const sweSmith: Dialect = {
  name: "swe-smith",
  family: "swe-smith",
  recognises(value) {
    return wordAt(value, "traj_id") !== null && wordAt(value, "instance_id") !== null && messagesOf(value) !== null;
  },
  read(value) {
    const list = messagesOf(value) ?? [];
    const read = speaksTicks(list) ? readTicks(list) : readMessages(list, "messages");
    return foundRun(assemble(read.entries), {
      ...rowFacts(value),
      callStyle: read.callStyle,
      tools: toolsOf(value),
      marks: read.marks,
    });
  },
};

/** No other way of calling, and the first reply ends in a code block. */
function speaksTicks(messages: readonly unknown[]): boolean {
  const turns = messages.filter((message) => field(message, "role") === "assistant");
  const text = peekText(field(turns[0], "content")) ?? "";
  const otherwise = turns.some((turn) => field(turn, "tool_calls") !== undefined || hasXmlCall(peekText(field(turn, "content")) ?? ""));
  return !otherwise && text.trimEnd().endsWith("```") && cutLastFence(text) !== null;
}

function readTicks(messages: readonly unknown[]): ReadMessages {
  const entries: Entry[] = [];
  let open = false;
  for (const [index, message] of messages.entries()) {
    const where = `messages[${index}]`;
    const role = textAt(asFields(message, where), "role");
    const text = contentText(field(message, "content"), `${where}.content`);
    if (role === "assistant") {
      const cut = cutLastFence(text);
      const calls = cut === null ? [] : [actionCall(cut.action)];
      open = calls.length > 0;
      entries.push({ kind: "turn", thought: cut?.thought ?? text, reasoning: reasoningOf(message), calls });
    } else if (open && role !== "system") {
      entries.push(textResult(text));
      open = false;
    } else entries.push({ kind: role === "system" ? "system" : "user", text });
  }
  const callStyle: SourceCallStyle = "fenced";
  return { entries, callStyle, marks: [] };
}
