import { at, field, isFields, listAt, textAt } from "./lenient.ts";

const has = (value: unknown, ...names: readonly string[]): boolean => names.every((name) => field(value, name) !== undefined);

/** Formats that lie beside runs or hold runs we do not read. Only for a refusal that names them. */
const known: readonly (readonly [name: string, test: (value: unknown, first: unknown) => boolean])[] = [
  [
    "a Claude Code session",
    (value, first) =>
      has(first, "type", "sessionId") || has(value, "loglines") || (textAt(first, "type") === "summary" && has(first, "leafUuid")),
  ],
  ["a Claude Code session", (_, first) => textAt(first, "type") === "file-history-snapshot"],
  [
    "a Codex event stream",
    (_, first) =>
      has(first, "type", "thread_id") ||
      (has(first, "type", "payload") && has(first, "timestamp")) ||
      /^(?:turn|item|thread)\./.test(textAt(first, "type") ?? ""),
  ],
  ["a Gemini CLI session", (value) => has(value, "sessionId", "messages", "projectHash")],
  ["a Cline session", (value) => has(value, "sessionId", "messages") || has(value, "session_id", "started_at", "enable_tools")],
  [
    "a Trae trajectory",
    (value) => has(value, "llm_interaction") || has(value, "task", "agent_steps") || has(value, "task", "llm_interactions"),
  ],
  ["a Moatless run", (value) => has(value, "transitions") || has(value, "nodes", "metadata") || has(value, "nodes", "max_iterations")],
  ["an ATIF trajectory", (value) => textAt(value, "schema_version")?.startsWith("ATIF") ?? false],
  ["agent-data-protocol rows (standard form)", (_, first) => has(listAt(first, "content")?.[0], "class_")],
  ["ShareGPT rows (rewritten by a converter)", (_, first) => Array.isArray(field(first, "conversations"))],
  [
    "nebius SWE-agent rows (text with role `ai`)",
    (_, first) => has(listAt(first, "trajectory")?.[0], "role") && !has(listAt(first, "trajectory")?.[0], "content"),
  ],
  ["predictions (patches without their runs)", (_, first) => has(first, "model_patch", "model_name_or_path")],
  ["task instances", (_, first) => has(first, "problem_statement", "base_commit") || has(first, "FAIL_TO_PASS")],
  ["a manifest of files", (_, first) => has(first, "file", "sha256")],
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

const keyList = (fields: object): string => {
  const keys = Object.keys(fields).map((key) => key.slice(0, 40));
  return `${keys.slice(0, 6).join(", ")}${keys.length > 6 ? ", ..." : ""}` || "(none)";
};
