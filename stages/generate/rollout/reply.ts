import type { Reply, ToolCall } from "../../../schemas/completion.ts";
import type { WrittenCall } from "../../lib/call-styles/call-style.ts";
import { callStyles } from "../../lib/call-styles/index.ts";
import type { WireStyle } from "./messages.ts";

/** What the model wants, before anything is run. `problem`: its calls could not be read; what was expected, in words for it. */
export interface WantedTurn {
  readonly thought: string;
  readonly reasoning: string | null;
  readonly calls: readonly WrittenCall[];
  readonly problem: string | null;
}

/**
 * Reasoning that a server left in the text, as models write it when nobody parses it. Templates that open it themselves (DeepSeek-R1,
 * Qwen3-Thinking) leave only its end, on a line of its own.
 */
const thinking = /^\s*<think>([\s\S]*?)<\/think>\s*|^([\s\S]*?)\n<\/think>[^\S\n]*(?:\n\s*|$)/;

/** A call of nothing is no call of a trajectory, so it stays text. */
const isNamed = ({ name }: ToolCall): boolean => name.trim() !== "";
const noName = "A call had no function name, so nothing was run for it. Expected the name of a function with its arguments.";

/** Reasoning is kept apart from the visible thought, whichever way it came. */
export function wantedTurn(reply: Reply, style: WireStyle, tools: readonly string[]): WantedTurn {
  const inline = thinking.exec(reply.text);
  const text = inline === null ? reply.text : reply.text.slice(inline[0].length);
  const reasoning = reply.reasoning ?? (inline?.[1] ?? inline?.[2])?.trim() ?? null;
  if (style === "native") {
    const calls = reply.calls.filter(isNamed).map((call) => ({ name: call.name, arguments: call.arguments }));
    const nameless = reply.calls.filter((call) => !isNamed(call)).map((call) => call.arguments);
    const thought = [text.trim(), ...nameless].filter((line) => line !== "").join("\n");
    return { thought, reasoning, calls, problem: nameless.length > 0 ? noName : null };
  }
  const read = callStyles.xml.readReply(text, tools);
  return "problem" in read
    ? { thought: text.trim(), reasoning, calls: [], problem: read.problem }
    : { thought: read.thought, reasoning, calls: read.calls, problem: null };
}
