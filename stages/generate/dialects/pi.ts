import type { Mark } from "../../../schemas/trajectory.ts";
import { assemble, type Entry } from "../assemble.ts";
import { asFields, asList, field, flagAt, intAt, isFields, textAt, WrongShape, wordAt } from "../lenient.ts";
import type { Dialect } from "./dialect.ts";
import { foundRun } from "./lib-run.ts";
import { chainTo, firstEntry, readParts, resultText } from "./lib-sessions.ts";

/**
 * Session of pi: one entry a line, first `session`, then messages and settings; from version 2 on a tree by `parentId`. Summaries of
 * compactions are marked and left out: what they stand for is all still there.
 */
export const pi: Dialect = {
  name: "pi",
  family: "pi",
  recognises: (value) => isPiEntry(firstEntry(value)),
  isEvent: isPiEntry,
  read(value) {
    const lines = asList(value, "entries");
    const marks = new Set<Mark>();
    const chain = chainTo(lines, "id", "parentId");
    const kept = lines.filter((_, place) => chain.has(place));
    if (lines.some((line, place) => !chain.has(place) && field(line, "message") !== undefined)) marks.add("branches-left-out");
    const header = lines.find((line) => textAt(line, "type") === "session");
    const reply = kept.find((line) => textAt(line, "message", "role") === "assistant");
    return foundRun(assemble(kept.flatMap((line, index) => entriesOf(line, `entries[${index}]`, marks))), {
      instance: wordAt(header, "id"),
      model: wordAt(reply, "message", "model") ?? wordAt(header, "modelId"),
      callStyle: "native",
      workdir: wordAt(header, "cwd"),
      marks: [...marks],
    });
  },
};

const settings = new Set([
  "compaction",
  "branch_summary",
  "thinking_level_change",
  "model_change",
  "custom",
  "custom_message",
  "label",
  "session_info",
]);

function isPiEntry(value: unknown): boolean {
  const type = textAt(value, "type") ?? "";
  if (textAt(value, "timestamp") === null) return false;
  if (type === "session") return textAt(value, "cwd") !== null;
  return type === "message" ? isFields(field(value, "message")) : settings.has(type);
}

function entriesOf(line: unknown, where: string, marks: Set<Mark>): Entry[] {
  const type = textAt(line, "type");
  if (type === "compaction" || type === "branch_summary") marks.add("pre-condensed");
  if (type === "custom_message") return [{ kind: "user", text: resultText(field(line, "content"), `${where}.content`, marks) }];
  if (type !== "message") return [];
  const message = asFields(field(line, "message"), `${where}.message`);
  const role = textAt(message, "role") ?? "";
  const content = field(message, "content");
  const at = `${where}.message.content`;
  if (role === "assistant") return turnOf(message, at, marks);
  if (role === "toolResult") {
    const failed = flagAt(message, "isError") === true ? true : null;
    const text = resultText(content, at, marks);
    return [{ kind: "result", key: wordAt(message, "toolCallId"), text, exitCode: intAt(message, "details", "exitCode"), failed }];
  }
  if (role === "bashExecution") return shellEntry(message);
  if (role === "user" || role === "custom" || role === "hookMessage") return [{ kind: "user", text: resultText(content, at, marks) }];
  if (role === "compactionSummary" || role === "branchSummary") {
    marks.add("pre-condensed");
    return [];
  }
  throw new WrongShape(`${where}.message.role`, "user, assistant, toolResult or bashExecution", field(message, "role"));
}

/** A request that failed leaves a reply without content; that is no turn. */
function turnOf(message: unknown, where: string, marks: Set<Mark>): Entry[] {
  const parts = readParts(field(message, "content"), where, marks);
  const broke = ["error", "aborted"].includes(textAt(message, "stopReason") ?? "");
  if (broke && parts.text === "" && parts.calls.length === 0) return [];
  return [{ kind: "turn", thought: parts.text, reasoning: parts.reasoning, calls: parts.calls }];
}

/** A command that the user ran; the agent is shown it with its output, unless the user kept both back. */
function shellEntry(message: unknown): Entry[] {
  if (field(message, "excludeFromContext") === true) return [];
  const text = [textAt(message, "command"), textAt(message, "output")].filter((part) => part !== null && part !== "").join("\n");
  return [{ kind: "user", text }];
}
