import type { Mark, SourceCallStyle } from "../../../schemas/trajectory.ts";
import { assemble, type Entry, type FoundCall } from "../assemble.ts";
import { scaffoldNotice } from "../exit.ts";
import { asFields, contentText, field, isFields, listAt, textAt, wordAt } from "../lenient.ts";
import { actionCall, cutXmlCall, hasXmlCall, thoughtBefore } from "../text-calls.ts";
import type { Dialect } from "./dialect.ts";
import { nativeCalls, reasoningOf } from "./lib-messages.ts";
import { foundRun, rowFacts } from "./lib-run.ts";

/**
 * SWE-agent `.traj`. `history` is the conversation, `trajectory` the executed actions; in 0.x the calls are text and `history` shows old
 * observations shortened, so results come from `trajectory`; from 1.0 on, `history` alone has the structured arguments and holds what
 * the agent saw. `query`/`messages` inside `trajectory` repeat the prompt at each step and are not read.
 */
export const sweAgent: Dialect = {
  name: "swe-agent",
  family: "swe-agent",
  recognises(value) {
    if (!isFields(value)) return false;
    const history = listAt(value, "history");
    const actions = listAt(value, "trajectory");
    if (history !== null && history.length > 0) return textAt(history[0], "role") !== null;
    if (actions !== null && actions.length > 0)
      return textAt(actions[0], "action") !== null && field(actions[0], "observation") !== undefined;
    return (history !== null || actions !== null) && isFields(field(value, "info"));
  },
  read(value) {
    const history = listAt(value, "history") ?? [];
    const actions = listAt(value, "trajectory") ?? [];
    const marks = new Set<Mark>();
    if (history.some((message) => field(message, "is_demo") === true)) marks.add("demonstration-removed");
    if (wasCondensed(value, history)) marks.add("pre-condensed");
    const own = history.filter((message) => field(message, "is_demo") !== true);
    const speakers = new Set(own.filter((message) => field(message, "role") === "assistant").map((message) => textAt(message, "agent")));
    if (speakers.size > 1) marks.add("multi-agent");
    const style = styleOf(own, actions);
    const config = configOf(value);
    return foundRun(assemble(entriesOf(own, actions, style)), {
      ...rowFacts(value),
      model: wordAt(config, "agent", "model", "name") ?? wordAt(value, "info", "model"),
      callStyle: style,
      rawExit: wordAt(value, "info", "exit_status"),
      patch: textAt(value, "info", "submission"),
      marks: [...marks],
    });
  },
};

/** `replay_config` is an object in some releases and JSON text in others; unreadable text is as good as none. */
function configOf(value: unknown): unknown {
  const config = field(value, "replay_config");
  if (typeof config !== "string") return config;
  try {
    return JSON.parse(config);
  } catch {
    return undefined;
  }
}

/** The agent itself saw shortened observations, whatever the file still holds of them. */
function wasCondensed(value: unknown, history: readonly unknown[]): boolean {
  const agent = field(configOf(value), "agent");
  const processors = [...(listAt(agent, "history_processors") ?? []), field(agent, "history_processor")];
  if (processors.some((processor) => textAt(processor, "type") === "last_n_observations")) return true;
  return history.some((message) => textAt(message, "content")?.startsWith("Old environment output: (") ?? false);
}

function styleOf(history: readonly unknown[], actions: readonly unknown[]): SourceCallStyle {
  const turns = history.filter((message) => field(message, "role") === "assistant");
  if (turns.some((turn) => (listAt(turn, "tool_calls")?.length ?? 0) > 0)) return "native";
  if (turns.some((turn) => hasXmlCall(textAt(turn, "content") ?? ""))) return "xml";
  return turns.length > 0 || actions.length > 0 ? "fenced" : "none";
}

function entriesOf(history: readonly unknown[], actions: readonly unknown[], style: SourceCallStyle): Entry[] {
  const entries: Entry[] = [];
  let next = 0;
  // In 0.x the observation of a turn is taken from its action; the user message that repeats it is then skipped.
  let answered = false;
  let waiting = false;
  for (const [index, message] of history.entries()) {
    const where = `history[${index}]`;
    const role = textAt(asFields(message, where), "role");
    const text = contentText(field(message, "content"), `${where}.content`);
    if (role === "assistant") {
      const at = partner(actions, next, message, text);
      for (const skipped of actions.slice(next, at ?? next)) entries.push(...withoutReply(skipped, style, `trajectory[${next++}]`));
      const action = at === null ? undefined : actions[next++];
      if (scaffoldNotice.test(text) && nativeCalls(message, where).length === 0) {
        entries.push({ kind: "user", text });
        continue;
      }
      const turn = turnOf(message, text, action, style, where);
      entries.push(turn);
      const seen = style === "fenced" && turn.calls.length > 0 ? textAt(action, "observation") : null;
      answered = seen !== null;
      waiting = style !== "native" && turn.calls.length > 0 && !answered;
      if (seen !== null) entries.push(result(null, seen));
    } else if (role === "tool") {
      entries.push(...toolResults(message, text, actions[next - 1]));
    } else if (role === "user" && answered) {
      answered = false;
    } else if (role === "user" && waiting) {
      entries.push(result(null, unheaded(text)));
      waiting = false;
    } else {
      entries.push({ kind: role === "system" ? "system" : "user", text });
    }
  }
  return [...entries, ...actions.slice(next).flatMap((action, index) => withoutReply(action, style, `trajectory[${next + index}]`))];
}

/**
 * Place of the action that belongs to a reply. Requeries leave replies in one list and not in the other, so a pair has to agree in
 * something; looking a few actions ahead, in some text.
 */
function partner(actions: readonly unknown[], next: number, message: unknown, text: string): number | null {
  const found = actions
    .slice(next, next + 5)
    .findIndex((action, ahead) => agrees(action, message, text) && (ahead === 0 || text.trim() !== ""));
  return found < 0 ? null : next + found;
}

function agrees(action: unknown, message: unknown, text: string): boolean {
  const reply = textAt(action, "response");
  if (reply !== null && reply.trim() === text.trim()) return true;
  const same = (name: string): boolean => wordAt(action, name) !== null && wordAt(action, name) === wordAt(message, name);
  return same("action") || same("thought") || (reply === null && textAt(action, "action") !== null);
}

function turnOf(message: unknown, text: string, action: unknown, style: SourceCallStyle, where: string): Extract<Entry, { kind: "turn" }> {
  const reasoning = reasoningOf(message);
  if (style === "native") return { kind: "turn", thought: text, reasoning, calls: nativeCalls(message, where) };
  if (style === "xml") {
    const cut = cutXmlCall(text);
    return { kind: "turn", thought: cut?.thought ?? text, reasoning, calls: cut ? [cut.call] : [] };
  }
  const command = textAt(action, "action") ?? textAt(message, "action") ?? "";
  const thought = thoughtBefore(text, command, wordAt(action, "thought") ?? wordAt(message, "thought"));
  const calls: FoundCall[] = command.trim() === "" ? [] : [actionCall(command)];
  return { kind: "turn", thought: calls.length === 0 ? text : thought, reasoning, calls };
}

const result = (key: string | null, text: string): Entry => ({ kind: "result", key, text, exitCode: null, failed: null });

const unheaded = (text: string): string => text.replace(/^OBSERVATION:\n/, "");

/** `tool_call_ids` is a list; all but the first get the same text only if there is one id. A shortened result is read from the action. */
function toolResults(message: unknown, text: string, action: unknown): Entry[] {
  const [id] = listAt(message, "tool_call_ids") ?? [];
  const seen = unheaded(text);
  const full = seen.startsWith("Old environment output: (") ? textAt(action, "observation") : null;
  const key = typeof id === "string" ? id : wordAt(message, "tool_call_id");
  return [result(key, full ?? seen)];
}

/** An action whose reply `history` lacks: a turn like any other, unless it is the scaffold's own last act. */
function withoutReply(action: unknown, style: SourceCallStyle, where: string): Entry[] {
  const reply = textAt(asFields(action, where), "response") ?? textAt(action, "thought") ?? "";
  const command = textAt(action, "action") ?? "";
  const seen = textAt(action, "observation");
  if (scaffoldNotice.test(reply) || command.trim() === "") {
    return [reply, seen ?? ""].filter((text) => text.trim() !== "").map((text) => ({ kind: "user", text }));
  }
  const cut = style === "xml" ? cutXmlCall(reply) : null;
  const thought = cut?.thought ?? (style === "native" ? reply : thoughtBefore(reply, command, textAt(action, "thought")));
  // A native call without arguments is written as its bare name; of any other call only the text is left.
  const bare: FoundCall | null =
    style === "native" && command.trim() === "submit" ? { id: null, key: null, name: "submit", arguments: "{}" } : null;
  const turn: Entry = { kind: "turn", thought, reasoning: reasoningOf(action), calls: [cut?.call ?? bare ?? actionCall(command)] };
  return seen === null ? [turn] : [turn, result(null, seen)];
}
