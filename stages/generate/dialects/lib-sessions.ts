import type { Mark } from "../../../schemas/trajectory.ts";
import type { Entry, FoundCall } from "../assemble.ts";
import { asList, field, flagAt, isFields, listAt, textAt, WrongShape, wordAt } from "../lenient.ts";
import { argumentsText, exitCodeIn } from "./lib-messages.ts";

/** A message of typed parts: Anthropic's (`text`, `thinking`, `tool_use`, `tool_result`) and its kin (`toolCall`, `file`). */
export interface Parts {
  readonly text: string;
  readonly reasoning: string | null;
  readonly calls: readonly FoundCall[];
  readonly results: readonly Extract<Entry, { kind: "result" }>[];
}

/** Parts that say nothing: settings of the endpoint, and reasoning that only the endpoint can read. */
const silent = new Set(["redacted_thinking", "cache_edits"]);

/** Sessions hold pictures and documents; those are left out, and `marks` says so. */
export function readParts(content: unknown, where: string, marks: Set<Mark>): Parts {
  const text: string[] = [];
  const reasoning: string[] = [];
  const calls: FoundCall[] = [];
  const results: Extract<Entry, { kind: "result" }>[] = [];
  const parts = typeof content === "string" ? [content] : asList(content ?? [], where);
  for (const [index, part] of parts.entries()) {
    const at = `${where}[${index}]`;
    const type = textAt(part, "type") ?? "";
    const said = typeof part === "string" ? part : textAt(part, "text");
    if (type === "tool_use" || type === "toolCall") calls.push(callOf(part, at));
    else if (type === "tool_result") results.push(resultOf(part, at, marks));
    else if (type === "thinking") reasoning.push(textAt(part, "thinking") ?? "");
    else if (type === "file") text.push([textAt(part, "path"), textAt(part, "content")].filter((line) => line !== null).join("\n"));
    else if (said !== null) text.push(said);
    else if (!silent.has(type)) marks.add("parts-left-out");
  }
  return { text: text.join("\n"), reasoning: reasoning.filter(Boolean).join("\n") || null, calls, results };
}

function callOf(part: unknown, where: string): FoundCall {
  const name = wordAt(part, "name");
  if (name === null) throw new WrongShape(`${where}.name`, "the name of a tool", field(part, "name"));
  const id = wordAt(part, "id");
  return { id, key: id, name, arguments: argumentsText(field(part, "input") ?? field(part, "arguments")) };
}

function resultOf(part: unknown, where: string, marks: Set<Mark>): Extract<Entry, { kind: "result" }> {
  const text = resultText(field(part, "content"), `${where}.content`, marks);
  const refused = (listAt(part, "content") ?? []).some((piece) => flagAt(piece, "success") === false); // Cline's records
  const failed = refused || flagAt(part, "is_error") === true ? true : null;
  return { kind: "result", key: wordAt(part, "tool_use_id"), text, exitCode: exitCodeIn(text), failed };
}

/** Text of a result: as it is, or a list of texts, or records whose `result` or `error` is what was shown. */
export function resultText(content: unknown, where: string, marks: Set<Mark>): string {
  if (typeof content === "string") return content;
  return asList(content ?? [], where)
    .flatMap((part) => {
      const said = typeof part === "string" ? part : (textAt(part, "text") ?? textAt(part, "result") ?? textAt(part, "error"));
      if (said === null) marks.add("parts-left-out");
      return said === null ? [] : [said];
    })
    .join("\n");
}

/** What a user-side message of parts adds to a run: results first, as the endpoints demand, then the text, if any. */
export function userEntries(parts: Parts): Entry[] {
  return parts.text === "" ? [...parts.results] : [...parts.results, { kind: "user", text: parts.text }];
}

/**
 * Places of the entries that lead to the last one. Logs of sessions are trees: who takes a turn back goes on from an earlier entry. An
 * entry that names no parent, or one that is not there, follows the entry before it.
 */
export function chainTo(entries: readonly unknown[], idKey: string, parentKey: string): ReadonlySet<number> {
  const places = new Map<string, number>();
  for (const [place, entry] of entries.entries()) {
    const id = wordAt(entry, idKey);
    if (id !== null && !places.has(id)) places.set(id, place);
  }
  const chain = new Set<number>();
  for (let at = entries.length - 1; at >= 0 && !chain.has(at); ) {
    chain.add(at);
    const parent = wordAt(entries[at], parentKey);
    at = (parent === null ? undefined : places.get(parent)) ?? at - 1;
  }
  return chain;
}

/** First object of a list of log entries; what a log is, is decided by it. */
export const firstEntry = (value: unknown): unknown => (Array.isArray(value) ? value.find(isFields) : undefined);
