import { at, field, isFields, textAt } from "./lenient.ts";

const has = (value: unknown, ...names: readonly string[]): boolean => names.every((name) => field(value, name) !== undefined);

/** First words of AutoCodeRover's prompts: its chats hold calls as prose, and each file repeats the one before. */
export const isAutoCodeRoverChat = (list: readonly unknown[]): boolean =>
  /^You are a software developer maintaining a large project\./.test(textAt(list[0], "content") ?? "");

/** Formats that lie beside runs or hold runs we do not read. Only for a refusal that names them. */
const known: readonly (readonly [name: string, test: (value: unknown, first: unknown) => boolean])[] = [
  [
    "an event stream of codex exec",
    (_, first) => has(first, "type", "thread_id") || /^(?:turn|item|thread)\./.test(textAt(first, "type") ?? ""),
  ],
  ["a line of a session log without the rest of it", (_, first) => has(first, "type", "sessionId") || has(first, "type", "payload")],
  ["the description of a Cline session, without its messages", (value) => has(value, "session_id", "started_at", "enable_tools")],
  ["an AutoCodeRover chat (calls in prose)", (value) => Array.isArray(value) && isAutoCodeRoverChat(value)],
  ["an AutoCodeRover list of calls", (_, first) => has(Array.isArray(first) ? first[0] : first, "func_name", "arguments")],
  [
    "a Moatless run without steps",
    (value) => has(value, "transitions") || has(value, "nodes", "metadata") || has(value, "nodes", "max_iterations"),
  ],
  ["conversations of another kind than ShareGPT's", (_, first) => Array.isArray(field(first, "conversations"))],
  ["predictions (patches without their runs)", (_, first) => has(first, "model_patch", "model_name_or_path")],
  ["task instances", (_, first) => has(first, "problem_statement", "base_commit") || has(first, "FAIL_TO_PASS")],
  ["a manifest of files", (_, first) => has(first, "file", "sha256")],
  ["a row whose messages are a text that is no JSON list of messages", (_, first) => textAt(first, "messages") !== null],
  ["messages in another vendor's parts", (value) => Array.isArray(at(value, "messages")) || Array.isArray(at(value, "history"))],
];

/** Why a value that no dialect reads is refused: what it is, or which keys it has. */
export function refusal(value: unknown): string {
  const first = Array.isArray(value) ? value[0] : value;
  const name = known.find(([, test]) => test(value, first))?.[0];
  if (name !== undefined) return `${name}, which is not imported`;
  if (isFields(first))
    return `no known run format (${Array.isArray(value) ? "a list of objects" : "an object"} with keys ${keyList(first)})`;
  return `no known run format (${Array.isArray(value) ? "a list" : value === null ? "null" : `a ${typeof value}`})`;
}

/** Why the samples of a dataset of ours are refused. */
export const samplesRefusal =
  "samples of a catgen dataset, not runs: import the trajectories they were made of, which its audit/ holds where it was published with recipe export.audit";

/** What a text page without a report is. */
export function pageKind(text: string): string {
  if (/^# aider chat started at /m.test(text)) return "an aider chat page, a text rendering of a run, which is not imported";
  return "a text page without a SWE-bench report";
}

const keyList = (fields: object): string => {
  const keys = Object.keys(fields).map((key) => key.slice(0, 40));
  return `${keys.slice(0, 6).join(", ")}${keys.length > 6 ? ", ..." : ""}` || "(none)";
};
