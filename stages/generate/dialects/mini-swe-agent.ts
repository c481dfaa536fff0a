import { assemble, type Entry } from "../assemble.ts";
import { asFields, asList, contentText, field, intAt, peekText, textAt, WrongShape, wordAt } from "../lenient.ts";
import { cutBashBlock } from "../text-calls.ts";
import type { Dialect } from "./dialect.ts";
import { exitCodeIn, messagesOf, nativeCalls, reasoningOf } from "./lib-messages.ts";
import { foundRun, rowFacts } from "./lib-run.ts";

/**
 * mini-swe-agent: a bare list of messages, the enveloped `mini-swe-agent-1` (one bash block per reply) and `mini-swe-agent-1.1` (native
 * calls of one tool `bash`, messages of role `exit`), and published rows with `messages` of the first kind (mini-coder, mini-swe-agent-plus).
 */
export const miniSweAgent: Dialect = {
  name: "mini-swe-agent",
  family: "mini-swe-agent",
  recognises(value) {
    if (textAt(value, "trajectory_format")?.startsWith("mini-swe-agent")) return true;
    if (["history", "response", "traj_id", "run_id", "sessionId"].some((name) => field(value, name) !== undefined)) return false;
    const list = messagesOf(value);
    return list !== null && speaksBashBlocks(list);
  },
  read(value) {
    const row = Array.isArray(value) ? undefined : value;
    const list = messagesOf(value) ?? asList(Array.isArray(value) ? value : field(value, "messages"), "messages");
    const { entries, submission, native } = readTurns(list, wordAt(row, "info", "exit_status"));
    const last = entries.at(-1);
    const facts = rowFacts(row);
    return foundRun(assemble(entries), {
      ...facts,
      instance: facts.instance ?? wordAt(row, "instance_id"),
      model: wordAt(row, "info", "config", "model", "model_name") ?? facts.model ?? null,
      callStyle: native ? "native" : "bash-block",
      workdir: wordAt(row, "info", "config", "environment", "cwd"),
      rawExit: exitWord(row) ?? facts.rawExit ?? (submission === null ? null : "Submitted"),
      // Tables end with the command that hands in, without its answer.
      endedItself: last?.kind === "turn" && last.calls.some((call) => submits.test(call.arguments)),
      // What the agent handed in; some forks rewrite `info.submission` after the run.
      patch: submission || (textAt(row, "info", "submission") ?? submission ?? facts.patch ?? null),
    });
  },
};

/** The first reply holds a bash block, and either the prompt asks for exactly one or the answer has a return code. */
function speaksBashBlocks(messages: readonly unknown[]): boolean {
  const first = messages.findIndex((message) => field(message, "role") === "assistant");
  const textOf = (index: number): string => peekText(field(messages[index], "content")) ?? "";
  if (first < 0 || cutBashBlock(textOf(first)) === null || field(messages[first], "tool_calls") !== undefined) return false;
  const asked = messages.slice(0, first).some((_, index) => /exactly one bash code block/i.test(textOf(index)));
  return asked || /^<returncode>/.test(textOf(first + 1));
}

/** mini says `LimitsExceeded` for two limits; its own counters tell which one it was. */
function exitWord(row: unknown): string | null {
  const word = wordAt(row, "info", "exit_status");
  const limit = intAt(row, "info", "config", "agent", "step_limit");
  if (word !== "LimitsExceeded") return word;
  const calls = intAt(row, "info", "model_stats", "api_calls");
  return limit !== null && limit > 0 && calls !== null && calls >= limit ? "LimitsExceeded (step limit)" : "LimitsExceeded (cost limit)";
}

const submits = /(?:COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT|MINI_SWE_AGENT_FINAL_OUTPUT)/;

interface Turns {
  readonly entries: readonly Entry[];
  /** What the last message hands in, when it is no observation. */
  readonly submission: string | null;
  readonly native: boolean;
}

function readTurns(list: readonly unknown[], exitStatus: string | null): Turns {
  const native = list.some((message) => Array.isArray(field(message, "tool_calls")));
  const entries: Entry[] = [];
  let submission: string | null = null;
  let lastCommand: string | null = null;
  for (const [index, message] of list.entries()) {
    const at = `messages[${index}]`;
    const role = textAt(asFields(message, at), "role");
    const text = contentText(field(message, "content"), `${at}.content`);
    const isLast = index === list.length - 1;
    if (role === "assistant") {
      const turn = turnOf(message, text, native, at);
      lastCommand = turn.calls[0]?.arguments ?? null;
      entries.push(turn);
    } else if (role === "exit") {
      if (exitStatus === "Submitted" || exitStatus === null) submission = text;
      else if (text !== "" && exitStatus !== text) entries.push({ kind: "user", text });
    } else if (role === "tool") {
      entries.push(observation(message, text, wordAt(message, "tool_call_id")));
    } else if (role === "user" && isLast && lastCommand !== null && submits.test(lastCommand) && !text.startsWith("<returncode>")) {
      submission = text;
    } else if (role === "user" && lastCommand !== null && !native) {
      entries.push(observation(message, text, null));
      lastCommand = null;
    } else if (role === "user" || role === "system") {
      entries.push({ kind: role, text });
    } else {
      throw new WrongShape(`${at}.role`, "system, user, assistant, tool or exit", field(message, "role"));
    }
  }
  return { entries, submission, native };
}

function turnOf(message: unknown, text: string, native: boolean, where: string): Extract<Entry, { kind: "turn" }> {
  const reasoning = reasoningOf(message);
  if (native) return { kind: "turn", thought: text, reasoning, calls: nativeCalls(message, where) };
  const cut = cutBashBlock(text);
  return cut === null
    ? { kind: "turn", thought: text, reasoning, calls: [] }
    : { kind: "turn", thought: cut.thought, reasoning, calls: [cut.call] };
}

function observation(message: unknown, text: string, key: string | null): Entry {
  return { kind: "result", key, text, exitCode: exitCodeIn(text) ?? intAt(message, "extra", "returncode"), failed: null };
}
