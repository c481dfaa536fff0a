import type { Mark, SourceCallStyle } from "../../../schemas/trajectory.ts";
import type { Entry, FoundCall } from "../assemble.ts";
import { asFields, asList, contentText, field, isFields, listAt, peekText, textAt, WrongShape, wordAt } from "../lenient.ts";
import { cutXmlCall, hasXmlCall } from "../text-calls.ts";

/** Chat messages read into entries; `callStyle` says how their calls were written. */
export interface ReadMessages {
  readonly entries: readonly Entry[];
  readonly callStyle: SourceCallStyle;
  readonly marks: readonly Mark[];
}

const roles = new Set(["system", "developer", "user", "assistant", "tool", "function"]);

/** A list that starts like a chat: roles we know, and no parts of other vendors' tool calls. */
export function looksLikeMessages(value: unknown): value is readonly unknown[] {
  if (!Array.isArray(value) || !isFields(value[0]) || !Object.hasOwn(value[0], "content")) return false;
  return value.slice(0, 4).every((message: unknown) => {
    const role = field(message, "role");
    return (
      typeof role === "string" && roles.has(role) && !Object.hasOwn(asFields(message, "message"), "parts") && !hasForeignParts(message)
    );
  });
}

const foreign = new Set(["tool_use", "tool_result", "toolCall", "thinking"]);
const hasForeignParts = (message: unknown): boolean =>
  (listAt(message, "content") ?? []).some((part) => foreign.has(textAt(part, "type") ?? ""));

/** Messages of a row whose table stores them as one JSON text; parsed once, since every dialect takes a look. */
const decoded = new WeakMap<object, readonly unknown[] | null>();

/** A row's chat, from the list itself or the list as JSON text; null: nothing that starts like a chat. */
export function messagesOf(value: unknown): readonly unknown[] | null {
  if (Array.isArray(value)) return looksLikeMessages(value) ? value : null;
  const list = field(value, "messages");
  if (!isFields(value) || typeof list !== "string") return looksLikeMessages(list) ? list : null;
  const known = decoded.get(value);
  if (known !== undefined) return known;
  const parsed = jsonIn(list);
  const found = looksLikeMessages(parsed) ? parsed : null;
  decoded.set(value, found);
  return found;
}

/** Schemas of a row's tools: a list, or that list as JSON text. */
export const toolsOf = (row: unknown): readonly unknown[] | null => {
  const tools = field(row, "tools");
  const list = typeof tools === "string" ? jsonIn(tools) : tools;
  return Array.isArray(list) ? list : null;
};

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function readMessages(messages: readonly unknown[], where: string): ReadMessages {
  const style = styleOf(messages);
  const marks = new Set<Mark>();
  const entries: Entry[] = [];
  let textCallOpen = false;
  for (const [index, message] of messages.entries()) {
    const at = `${where}[${index}]`;
    const role = textAt(asFields(message, at), "role");
    const text = contentText(field(message, "content"), `${at}.content`);
    if (role === "assistant") {
      const turn = assistantTurn(message, text, style, at);
      textCallOpen = style === "xml" && turn.calls.length > 0;
      entries.push(turn);
    } else if (role === "tool" || role === "function") {
      entries.push(toolResult(message, text));
    } else if (role === "user" && textCallOpen) {
      entries.push(textResult(text));
      textCallOpen = false;
    } else if (role === "user" || role === "system" || role === "developer") {
      const bare = role === "user" && style === "xml" ? withoutExample(text) : text;
      if (bare !== text) marks.add("demonstration-removed");
      entries.push({ kind: role === "user" ? "user" : "system", text: bare });
    } else {
      throw new WrongShape(`${at}.role`, "system, user, assistant or tool", field(message, "role"));
    }
  }
  return { entries, callStyle: style, marks: [...marks] };
}

function styleOf(messages: readonly unknown[]): SourceCallStyle {
  const turns = messages.filter((message) => field(message, "role") === "assistant");
  if (turns.some((turn) => (listAt(turn, "tool_calls")?.length ?? 0) > 0 || isFields(field(turn, "function_call")))) return "native";
  return turns.some((turn) => hasXmlCall(peekText(field(turn, "content")) ?? "")) ? "xml" : "none";
}

export function assistantTurn(message: unknown, text: string, style: SourceCallStyle, where: string): Extract<Entry, { kind: "turn" }> {
  const reasoning = reasoningOf(message);
  if (style === "xml") {
    const cut = cutXmlCall(text);
    return cut
      ? { kind: "turn", thought: cut.thought, reasoning, calls: [cut.call] }
      : { kind: "turn", thought: text, reasoning, calls: [] };
  }
  return { kind: "turn", thought: text, reasoning, calls: nativeCalls(message, where) };
}

/** Arguments stay the text they are; an object (some tables decode them) is written as JSON. */
export function nativeCalls(message: unknown, where: string): FoundCall[] {
  const single = field(message, "function_call");
  const calls = field(message, "tool_calls") ?? (isFields(single) ? [{ function: single }] : []);
  return asList(calls, `${where}.tool_calls`).map((call, index) => {
    const at = `${where}.tool_calls[${index}]`;
    const name = wordAt(asFields(call, at), "function", "name");
    if (name === null) throw new WrongShape(`${at}.function.name`, "the name of a tool", field(field(call, "function"), "name"));
    const id = wordAt(call, "id");
    return { id, key: id, name, arguments: argumentsText(field(field(call, "function"), "arguments")) };
  });
}

export const argumentsText = (given: unknown): string =>
  typeof given === "string" ? given : given === undefined ? "" : JSON.stringify(given);

/** Hidden reasoning that the source keeps apart from the visible text. */
export function reasoningOf(message: unknown): string | null {
  const direct = wordAt(message, "reasoning_content") ?? wordAt(message, "reasoning");
  if (direct !== null) return direct;
  const blocks = (listAt(message, "thinking_blocks") ?? []).map((block) => textAt(block, "thinking") ?? "").filter(Boolean);
  return blocks.length === 0 ? null : blocks.join("\n");
}

/** SWE-agent lists the ids, though a message is one result all the same, and puts a heading before it. */
export function toolResult(message: unknown, text: string): Extract<Entry, { kind: "result" }> {
  const [first] = listAt(message, "tool_call_ids") ?? [];
  const listed = typeof first === "string" && first !== "" ? first : null;
  const bare = listed === null ? text : text.replace(observed, "");
  return { kind: "result", key: wordAt(message, "tool_call_id") ?? listed, text: bare, exitCode: exitCodeIn(bare), failed: null };
}

const observed = /^(?:OBSERVATION:\n|EXECUTION RESULT of \[[^\]\n]*\]:\n)/;

/** A result that came as a user message, without the heading the scaffold put before it. */
export const textResult = (text: string): Extract<Entry, { kind: "result" }> => {
  const bare = text.replace(observed, "");
  return { kind: "result", key: null, text: bare, exitCode: exitCodeIn(bare), failed: null };
};

/** OpenHands closes a shell observation with its exit code, mini-swe-agent opens it with one; -1 means "still running". */
export function exitCodeIn(text: string): number | null {
  const found =
    /^<returncode>(-?\d{1,9})<\/returncode>/.exec(text) ??
    /\[(?:The command completed|Command finished) with exit code (-?\d{1,9})\.?\]\s*$/.exec(text.slice(-200));
  const code = found ? Number(found[1]) : -1;
  return code === -1 ? null : code;
}

const exampleEnds = "--------------------- NEW TASK DESCRIPTION ---------------------\n";
const taskEnds = "\n--------------------- END OF NEW TASK DESCRIPTION ---------------------";

/** OpenHands' prompt-made function calling wraps the task in a worked example; only the task is the run's. */
export function withoutExample(text: string): string {
  const start = text.indexOf(exampleEnds);
  if (start < 0 || !text.slice(0, start).includes("START OF EXAMPLE")) return text;
  const task = text.slice(start + exampleEnds.length);
  const end = task.lastIndexOf(taskEnds);
  return end < 0 ? task : task.slice(0, end);
}
