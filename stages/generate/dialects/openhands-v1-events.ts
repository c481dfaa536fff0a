import type { Mark } from "../../../schemas/trajectory.ts";
import { assemble, type Entry } from "../assemble.ts";
import { asFields, asList, at, contentText, field, flagAt, intAt, isFields, listAt, textAt, wordAt } from "../lenient.ts";
import type { Dialect } from "./dialect.ts";
import { nativeCalls, reasoningOf } from "./lib-messages.ts";
import { foundRun, rowFacts } from "./lib-run.ts";

/**
 * OpenHands V1 (SDK) events: the list of one conversation (one event per line or per file on disk), or a row with that list as `history`.
 * A conversation does not name its task; a row does. Condensations are marked and left out: the events they forgot are all still there.
 */
export const openhandsV1Events: Dialect = {
  name: "openhands-v1-events",
  family: "openhands",
  recognises(value) {
    const events = Array.isArray(value) ? value : listAt(value, "history");
    return events !== null && events.length > 0 && isV1Event(events[0]);
  },
  isEvent: (value) => isV1Event(value),
  read(value) {
    const events = asList(Array.isArray(value) ? value : field(value, "history"), "history");
    const row = Array.isArray(value) ? undefined : value;
    const { entries, tools, marks } = readEvents(events);
    const facts = rowFacts(row);
    return foundRun(assemble(entries), {
      ...facts,
      instance: facts.instance ?? wordAt(row, "instance", "instance_id"),
      model: wordAt(row, "metadata", "llm", "model") ?? facts.model ?? null,
      repository: wordAt(row, "instance", "repo") ?? facts.repository ?? null,
      callStyle: "native",
      tools,
      rawExit: facts.rawExit ?? wordAt(row, "error"),
      marks,
    });
  },
};

/** `kind` and a text id; V0 events have `action` or `observation` as text and a number for an id. */
export const isV1Event = (value: unknown): boolean =>
  textAt(value, "kind") !== null && textAt(value, "id") !== null && textAt(value, "timestamp") !== null && textAt(value, "source") !== null;

interface Events {
  readonly entries: Entry[];
  readonly tools: readonly unknown[] | null;
  readonly marks: readonly Mark[];
}

function readEvents(events: readonly unknown[]): Events {
  const entries: Entry[] = [];
  const marks = new Set<Mark>();
  let tools: readonly unknown[] | null = null;
  let response: string | null = null;
  for (const [index, event] of events.entries()) {
    const where = `events[${index}]`;
    const kind = textAt(asFields(event, where), "kind");
    if (kind === "SystemPromptEvent") {
      entries.push({ kind: "system", text: textAt(event, "system_prompt", "text") ?? "" });
      tools = listAt(event, "tools");
    } else if (kind === "MessageEvent") {
      entries.push(message(event, where));
      response = null;
    } else if (kind === "ActionEvent") {
      const from = wordAt(event, "llm_response_id");
      const turn = action(event, where);
      const last = entries.findLastIndex((entry) => entry.kind === "turn");
      const open = entries[last];
      // Calls of one reply are one turn, also where a result lies between them.
      if (from !== null && from === response && open?.kind === "turn") entries[last] = { ...open, calls: [...open.calls, ...turn.calls] };
      else entries.push(turn);
      response = from;
    } else if (kind === "Condensation") {
      marks.add("pre-condensed");
    } else {
      entries.push(...observation(event, where));
    }
  }
  return { entries, tools, marks: [...marks] };
}

function message(event: unknown, where: string): Entry {
  const llmMessage = field(event, "llm_message");
  const own = contentText(field(llmMessage, "content"), `${where}.llm_message.content`);
  const added = contentText(field(event, "extended_content"), `${where}.extended_content`);
  const text = [own, added].filter((part) => part !== "").join("\n");
  if (textAt(event, "source") !== "agent") return { kind: "user", text };
  return { kind: "turn", thought: text, reasoning: reasoningOf(llmMessage), calls: [] };
}

function action(event: unknown, where: string): Extract<Entry, { kind: "turn" }> {
  const thought = contentText(field(event, "thought"), `${where}.thought`);
  const call = field(event, "tool_call");
  // Later releases write the call flat: {id, name, arguments}.
  const nested = isFields(field(call, "function"))
    ? call
    : { id: field(call, "id"), function: { name: field(call, "name"), arguments: field(call, "arguments") } };
  return {
    kind: "turn",
    thought,
    reasoning: reasoningOf(event),
    calls: isFields(call) ? nativeCalls({ tool_calls: [nested] }, where) : [],
  };
}

function observation(event: unknown, where: string): Entry[] {
  const key = wordAt(event, "tool_call_id");
  const failure = textAt(event, "error") ?? textAt(event, "rejection_reason");
  // Without a call only what went wrong is text for the agent; the rest is the machinery's bookkeeping.
  if (key === null) return failure === null ? [] : [{ kind: "user", text: failure }];
  const seen = field(event, "observation");
  if (!isFields(seen)) return failure === null ? [] : [{ kind: "result", key, text: failure, exitCode: null, failed: true }];
  const metadata = at(seen, "metadata");
  const shown = field(seen, "content") ?? field(seen, "output") ?? field(seen, "message");
  const error = wordAt(seen, "error");
  const parts = [contentText(shown, `${where}.observation`), error ?? ""];
  const text = `${textAt(metadata, "prefix") ?? ""}${parts.filter((part) => part !== "").join("\n")}${textAt(metadata, "suffix") ?? ""}`;
  const code = intAt(metadata, "exit_code") ?? intAt(seen, "exit_code");
  const failed = flagAt(seen, "is_error") ?? (error !== null ? true : flagAt(seen, "error"));
  return [{ kind: "result", key, text, exitCode: code === -1 ? null : code, failed }];
}
