import type { Mark } from "../../../schemas/trajectory.ts";
import { assemble, type Entry, type FoundCall } from "../assemble.ts";
import { asFields, asList, at, field, intAt, isFields, listAt, textAt, WrongShape, wordAt } from "../lenient.ts";
import type { Dialect } from "./dialect.ts";
import { argumentsText } from "./lib-messages.ts";
import { foundRun } from "./lib-run.ts";
import { firstEntry, readParts, resultText } from "./lib-sessions.ts";

/**
 * Rollout of Codex CLI: one entry a line, `{timestamp, type, payload}`. Only `response_item` is conversation: `event_msg` repeats it for the
 * screen. Nothing in it tells replies apart, so what the model said and called without an answer in between is one turn.
 */
export const codexRollout: Dialect = {
  name: "codex-rollout",
  family: "codex",
  recognises: (value) => isRolloutEntry(firstEntry(value)),
  isEvent: isRolloutEntry,
  read(value) {
    const lines = asList(value, "entries");
    const payloads = (type: string): unknown[] =>
      lines.filter((line) => textAt(line, "type") === type).map((line) => field(line, "payload"));
    const rolledBack = payloads("event_msg").some((event) => textAt(event, "type") === "thread_rolled_back");
    if (rolledBack)
      return { ok: false, kind: "refused", why: "a Codex rollout with turns taken back: which of its lines still count is not stated" };
    const [meta] = payloads("session_meta");
    const marks = new Set<Mark>();
    const system = textAt(meta, "base_instructions", "text") ?? textAt(meta, "instructions");
    const opening: Entry[] = system === null || system === "" ? [] : [{ kind: "system", text: system }];
    return foundRun(assemble([...opening, ...entriesOf(lines, marks)]), {
      instance: wordAt(meta, "id"),
      model: wordAt(
        payloads("turn_context").find((context) => wordAt(context, "model") !== null),
        "model",
      ),
      callStyle: "native",
      workdir: wordAt(meta, "cwd"),
      marks: [...marks],
    });
  },
};

const kinds = new Set(["session_meta", "turn_context", "response_item", "event_msg", "compacted"]);

function isRolloutEntry(value: unknown): boolean {
  return kinds.has(textAt(value, "type") ?? "") && isFields(field(value, "payload"));
}

type Turn = Extract<Entry, { kind: "turn" }>;

function entriesOf(lines: readonly unknown[], marks: Set<Mark>): Entry[] {
  const entries: Entry[] = [];
  for (const [index, line] of lines.entries()) {
    if (textAt(line, "type") === "compacted") marks.add("pre-condensed");
    if (textAt(line, "type") !== "response_item") continue;
    const where = `entries[${index}].payload`;
    const item = asFields(field(line, "payload"), where);
    if (textAt(item, "type")?.startsWith("compaction")) marks.add("pre-condensed");
    const piece = turnPiece(item, where, marks);
    const last = entries.at(-1);
    if (piece === null) entries.push(...inputOf(item, where, marks));
    else if (last?.kind === "turn") entries[entries.length - 1] = joined(last, piece);
    else entries.push(piece);
  }
  // Reasoning that nothing was said or done after is no turn.
  return entries.filter((entry) => entry.kind !== "turn" || entry.thought !== "" || entry.calls.length > 0);
}

const both = (one: string, other: string): string => [one, other].filter((part) => part !== "").join("\n");

const joined = (turn: Turn, piece: Turn): Turn => ({
  kind: "turn",
  thought: both(turn.thought, piece.thought),
  reasoning: both(turn.reasoning ?? "", piece.reasoning ?? "") || null,
  calls: [...turn.calls, ...piece.calls],
});

/** What comes from the model; null: what it is given. */
function turnPiece(item: unknown, where: string, marks: Set<Mark>): Turn | null {
  const said = (thought: string, reasoning: string | null, calls: readonly FoundCall[] = []): Turn => ({
    kind: "turn",
    thought,
    reasoning,
    calls,
  });
  const type = textAt(item, "type") ?? "";
  if (type === "message" && textAt(item, "role") === "assistant")
    return said(readParts(field(item, "content"), `${where}.content`, marks).text, null);
  if (type === "reasoning") {
    const pieces = [...(listAt(item, "summary") ?? []), ...(listAt(item, "content") ?? [])].map((part) => textAt(part, "text") ?? "");
    return said("", pieces.filter(Boolean).join("\n") || null);
  }
  if (type.endsWith("_call")) return said("", null, [callOf(item, type, where)]);
  return null;
}

/** A tool of the endpoint's own has no name and no answer: `web_search_call`, `local_shell_call`. */
function callOf(item: unknown, type: string, where: string): FoundCall {
  const id = wordAt(item, "call_id") ?? wordAt(item, "id");
  if (type === "function_call" || type === "custom_tool_call") {
    const name = wordAt(item, "name");
    if (name === null) throw new WrongShape(`${where}.name`, "the name of a tool", field(item, "name"));
    const given =
      type === "function_call" ? argumentsText(field(item, "arguments")) : JSON.stringify({ input: textAt(item, "input") ?? "" });
    return { id, key: id, name, arguments: given };
  }
  return { id, key: id, name: type.slice(0, -"_call".length), arguments: argumentsText(field(item, "action")) };
}

function inputOf(item: unknown, where: string, marks: Set<Mark>): Entry[] {
  const type = textAt(item, "type") ?? "";
  if (type === "message") {
    const { text } = readParts(field(item, "content"), `${where}.content`, marks);
    const role = textAt(item, "role");
    return text === "" ? [] : [{ kind: role === "system" || role === "developer" ? "system" : "user", text }];
  }
  if (!type.endsWith("_call_output")) return [];
  return [{ kind: "result", key: wordAt(item, "call_id"), ...outputOf(field(item, "output"), `${where}.output`, marks) }];
}

type Output = Pick<Extract<Entry, { kind: "result" }>, "text" | "exitCode" | "failed">;

/** Shell answers are JSON text with the exit code beside the output in older releases, and a headed text in newer ones. */
function outputOf(given: unknown, where: string, marks: Set<Mark>): Output {
  const inner = typeof given === "string" ? parsed(given) : undefined;
  const output = textAt(inner, "output");
  if (output !== null) return { text: output, exitCode: intAt(inner, "metadata", "exit_code"), failed: null };
  const text = isFields(given) ? resultText(at(given, "content"), where, marks) : resultText(given, where, marks);
  const code = /^(?:Exit code: |Process exited with code )(-?\d{1,6})$/m.exec(text.slice(0, 400));
  const success = field(given, "success");
  return { text, exitCode: code ? Number(code[1]) : null, failed: typeof success === "boolean" ? !success : null };
}

function parsed(text: string): unknown {
  try {
    return text.startsWith("{") ? JSON.parse(text) : undefined;
  } catch {
    return undefined;
  }
}
