import type { Mark } from "../../../schemas/trajectory.ts";
import { assemble, type Entry, type FoundCall } from "../assemble.ts";
import { asFields, at, contentText, field, flagAt, intAt, isFields, listAt, textAt, wordAt } from "../lenient.ts";
import { objectText } from "../text-calls.ts";
import type { Dialect } from "./dialect.ts";
import { nativeCalls, reasoningOf } from "./lib-messages.ts";
import { foundRun, rowFacts } from "./lib-run.ts";
import { isV1Event } from "./openhands-v1-events.ts";

/** OpenHands V0 events: a row of `output.jsonl` (`history`), or the bare list of one session. */
export const openhandsV0Events: Dialect = {
  name: "openhands-v0-events",
  family: "openhands",
  recognises(value) {
    const events = eventsOf(value);
    if (events === null) return false;
    if (events.length === 0)
      return (
        !Array.isArray(value) &&
        isFields(field(value, "metadata")) &&
        field(value, "info") === undefined &&
        wordAt(value, "instance_id") !== null
      );
    const [first] = events;
    if (Array.isArray(first)) return isEvent(first[0]);
    return isEvent(first) && textAt(first, "kind") === null && textAt(first, "role") === null;
  },
  isEvent: (value) => isEvent(value) && intAt(value, "id") !== null && field(value, "history") === undefined && !isV1Event(value),
  read(value) {
    const events = eventsOf(value) ?? [];
    const unpaired = "V0 events without ids: an older layout whose observations cannot be matched to their actions";
    if (events.some((event) => intAt(event, "id") === null)) return { ok: false, kind: "refused", why: unpaired };
    const { entries, tools, marks, model } = readEvents(events);
    const row = Array.isArray(value) ? undefined : value;
    const facts = rowFacts(row);
    return foundRun(assemble(entries), {
      ...facts,
      instance: facts.instance ?? wordAt(row, "instance", "instance_id"),
      model: wordAt(row, "metadata", "llm_config", "model") ?? model,
      repository: wordAt(row, "instance", "repo") ?? facts.repository ?? null,
      issue: wordAt(row, "instance", "problem_statement"),
      callStyle: "native",
      tools,
      rawExit: facts.rawExit ?? wordAt(row, "error"),
      patch: textAt(row, "test_result", "git_patch") ?? textAt(row, "git_patch"),
      marks,
    });
  },
};

/** A row that broke before its first event has null for a history. */
function eventsOf(value: unknown): readonly unknown[] | null {
  if (Array.isArray(value)) return value;
  return isFields(value) && Object.hasOwn(value, "history") && value["history"] === null ? [] : listAt(value, "history");
}

const isEvent = (value: unknown): boolean => textAt(value, "action") !== null || textAt(value, "observation") !== null;

/** Actions of the machinery around the agent, and the observations that say nothing. */
const silentActions = new Set(["change_agent_state", "recall", "null", "loop_recovery"]);
const silentObservations = new Set(["agent_state_changed", "null", "recall", "condense"]);

interface Events {
  readonly entries: Entry[];
  readonly tools: readonly unknown[] | null;
  readonly marks: readonly Mark[];
  readonly model: string | null;
}

function readEvents(events: readonly unknown[]): Events {
  const entries: Entry[] = [];
  const marks = new Set<Mark>();
  /** Action id -> key of its call. */
  const calls = new Map<number, string>();
  let tools: readonly unknown[] | null = null;
  let model: string | null = null;
  let response: string | null = null;
  for (const [index, event] of events.entries()) {
    const where = `history[${index}]`;
    const action = textAt(asFields(event, where), "action");
    const id = intAt(event, "id") ?? index;
    if (action === null) {
      entries.push(...observation(event, calls, where));
    } else if (action === "system") {
      entries.push({ kind: "system", text: textAt(event, "args", "content") ?? "" });
      tools = listAt(event, "args", "tools");
    } else if (action === "condensation") {
      marks.add("pre-condensed");
    } else if (silentActions.has(action)) {
      // Machinery; its text, if any, is in no message.
    } else if (textAt(event, "source") !== "agent") {
      entries.push({ kind: "user", text: textAt(event, "args", "content") ?? textAt(event, "message") ?? "" });
    } else {
      if (action === "delegate") marks.add("multi-agent");
      const reply = at(event, "tool_call_metadata", "model_response");
      const replyId = wordAt(reply, "id");
      model ??= wordAt(reply, "model");
      const key = textAt(event, "tool_call_metadata", "tool_call_id") ?? `event:${id}`;
      calls.set(id, key);
      // Several actions may come from one reply: they are one turn with parallel calls.
      if (replyId === null || replyId !== response) entries.push(turn(event, action, key, reply, where));
      response = replyId;
    }
  }
  return { entries, tools, marks: [...marks], model };
}

/** The model's own reply where it is stored; else the action, with its thought and the scaffold's settings taken off the arguments. */
function turn(event: unknown, action: string, key: string, reply: unknown, where: string): Entry {
  const message = field((listAt(reply, "choices") ?? [])[0], "message");
  if (isFields(message)) {
    const found = nativeCalls(message, `${where}.tool_call_metadata.model_response`);
    const thought = contentText(field(message, "content"), `${where}.tool_call_metadata.model_response.content`);
    if (found.length > 0) return { kind: "turn", thought, reasoning: reasoningOf(message), calls: found };
  }
  const args = field(event, "args");
  const thought = textAt(args, "thought") ?? "";
  if (action === "message") return { kind: "turn", thought: textAt(args, "content") ?? thought, reasoning: null, calls: [] };
  return { kind: "turn", thought, reasoning: null, calls: [callOf(action, key, args)] };
}

const shellActions = new Map<string, readonly [name: string, argument: string]>([
  ["run", ["execute_bash", "command"]],
  ["run_ipython", ["execute_ipython_cell", "code"]],
]);
const settings = new Set(
  "thought blocking hidden is_static confirmation_state security_risk impl_source translated_ipython_code".split(" "),
);

function callOf(action: string, key: string, args: unknown): FoundCall {
  const [name, only] = shellActions.get(action) ?? [action, null];
  const kept = Object.entries(isFields(args) ? args : {}).filter(([field]) => (only === null ? !settings.has(field) : field === only));
  return { id: null, key, name, arguments: objectText(kept) };
}

function observation(event: unknown, calls: ReadonlyMap<number, string>, where: string): Entry[] {
  const kind = textAt(event, "observation") ?? "";
  if (silentObservations.has(kind)) return [];
  const cause = intAt(event, "cause");
  const key = (cause === null ? undefined : calls.get(cause)) ?? wordAt(event, "tool_call_metadata", "tool_call_id");
  const metadata = at(event, "extras", "metadata");
  const shown = textAt(event, "extras", "formatted_output_and_error") ?? contentText(field(event, "content"), `${where}.content`);
  const text = `${textAt(metadata, "prefix") ?? ""}${shown}${textAt(metadata, "suffix") ?? ""}`;
  if (key === null) return text === "" ? [] : [{ kind: "user", text }];
  const code = intAt(metadata, "exit_code") ?? intAt(event, "extras", "exit_code");
  const success = flagAt(event, "success");
  const failed = success === null ? (kind === "error" ? true : null) : !success;
  return [{ kind: "result", key, text, exitCode: code === -1 ? null : code, failed }];
}
