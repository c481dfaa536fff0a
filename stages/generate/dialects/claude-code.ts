import type { Mark } from "../../../schemas/trajectory.ts";
import { assemble, type Entry } from "../assemble.ts";
import { asFields, asList, field, isFields, listAt, textAt, wordAt } from "../lenient.ts";
import type { Dialect } from "./dialect.ts";
import { foundRun } from "./lib-run.ts";
import { chainTo, firstEntry, readParts, userEntries } from "./lib-sessions.ts";

/**
 * Session log of Claude Code: one entry a line, a tree by `parentUuid`; or `{loglines: [...]}` as its web service gives it out. One reply of
 * the model may be spread over several lines with the same `message.id`. What sub-agents did (`isSidechain`) is left out: the agent saw
 * only what the call that started them returned.
 */
export const claudeCode: Dialect = {
  name: "claude-code",
  family: "claude-code",
  recognises(value) {
    const lines = listAt(value, "loglines");
    return lines === null ? isClaudeEntry(firstEntry(value)) : lines.some((line) => isFields(field(line, "message")));
  },
  isEvent: isClaudeEntry,
  read(value) {
    const lines = asList(Array.isArray(value) ? value : field(value, "loglines"), "loglines");
    const marks = new Set<Mark>();
    const main = lines.filter((line) => field(line, "isSidechain") !== true);
    if (main.length < lines.length) marks.add("multi-agent");
    const kept = currentBranch(main, marks);
    const first = kept.find((line) => wordAt(line, "cwd") !== null);
    const reply = kept.find((line) => isReply(line) && wordAt(line, "message", "model") !== null);
    return foundRun(assemble(entriesOf(kept, marks)), {
      instance: wordAt(first, "sessionId") ?? wordAt(kept.find(isFields), "sessionId"),
      model: wordAt(reply, "message", "model"),
      callStyle: "native",
      workdir: wordAt(first, "cwd"),
      rawExit: kept.length === 0 && lines.length > 0 ? "nothing but turns of sub-agents" : null,
      marks: [...marks],
    });
  },
};

/** Entries of every kind name their session, but for titles and file snapshots; Gemini's list of prompts does too, with a text as message. */
function isClaudeEntry(value: unknown): boolean {
  const type = textAt(value, "type");
  if (type === "summary" && textAt(value, "leafUuid") !== null) return true;
  if (type === "file-history-snapshot" && isFields(field(value, "snapshot"))) return true;
  return (
    type !== null && textAt(value, "sessionId") !== null && textAt(value, "message") === null && field(value, "messages") === undefined
  );
}

/** The endpoint's errors stand in the log like replies of a model named `<synthetic>`. */
const isReply = (line: unknown): boolean =>
  textAt(line, "type") === "assistant" && field(line, "isApiErrorMessage") !== true && textAt(line, "message", "model") !== "<synthetic>";

/**
 * The entries that lead to the last one. Results of parallel calls are leaves of that tree, and lines of one reply may hang beside each
 * other, so an answer to a kept call and a line of a kept reply are kept too. A line that comes twice counts once.
 */
function currentBranch(lines: readonly unknown[], marks: Set<Mark>): unknown[] {
  const chain = chainTo(lines, "uuid", "parentUuid");
  const replies = new Set(lines.flatMap((line, place) => (chain.has(place) ? (wordAt(line, "message", "id") ?? []) : [])));
  const calls = new Set<string>();
  const seen = new Set<string>();
  return lines.filter((line, place) => {
    const uuid = wordAt(line, "uuid");
    if (uuid !== null && seen.has(uuid)) return false;
    if (uuid !== null) seen.add(uuid);
    const parts = listAt(line, "message", "content") ?? [];
    const answers = parts.some((part) => calls.has(textAt(part, "tool_use_id") ?? ""));
    const kept = chain.has(place) || answers || replies.has(wordAt(line, "message", "id") ?? "");
    if (kept) for (const part of parts) if (textAt(part, "type") === "tool_use") calls.add(textAt(part, "id") ?? "");
    if (!kept && field(line, "message") !== undefined) marks.add("branches-left-out");
    return kept;
  });
}

function entriesOf(lines: readonly unknown[], marks: Set<Mark>): Entry[] {
  const entries: Entry[] = [];
  /** `message.id` of the reply that the last turn belongs to. */
  let open: string | null = null;
  for (const [index, line] of lines.entries()) {
    const type = textAt(line, "type");
    const where = `entries[${index}].message`;
    if (textAt(line, "subtype") === "compact_boundary" || field(line, "isCompactSummary") === true) marks.add("pre-condensed");
    if (type !== "user" && type !== "assistant") continue; // bookkeeping of the program, in no message
    const content = field(asFields(field(line, "message"), where), "content");
    const parts = readParts(content, `${where}.content`, marks);
    if (type === "user") {
      // The summary of a compaction is no observation; at the very beginning it is all there is of what went before.
      const summary = field(line, "isCompactSummary") === true && entries.some((entry) => entry.kind === "turn");
      if (!summary) entries.push(...userEntries(parts));
      if (parts.results.length === 0) open = null;
    } else if (!isReply(line)) {
      entries.push({ kind: "user", text: parts.text });
    } else {
      const id = wordAt(line, "message", "id");
      const turn: Turn = { kind: "turn", thought: parts.text, reasoning: parts.reasoning, calls: parts.calls };
      const last = entries.findLastIndex((entry) => entry.kind === "turn");
      const before = entries[last];
      if (id !== null && id === open && before?.kind === "turn") entries[last] = joined(before, turn);
      else entries.push(turn);
      open = id;
    }
  }
  return entries;
}

type Turn = Extract<Entry, { kind: "turn" }>;

/** Two lines of one reply; what a line repeats of those before it counts once. */
function joined(before: Turn, line: Turn): Turn {
  const text = before.thought === line.thought ? "" : line.thought;
  const known = new Set(before.calls.map((call) => call.id));
  return {
    kind: "turn",
    thought: [before.thought, text].filter((part) => part !== "").join("\n"),
    reasoning: [before.reasoning, line.reasoning === before.reasoning ? null : line.reasoning].filter(Boolean).join("\n") || null,
    calls: [...before.calls, ...line.calls.filter((call) => call.id === null || !known.has(call.id))],
  };
}
