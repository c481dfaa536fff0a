import type { Reply, ToolCall } from "../../../schemas/completion.ts";
import type { WrittenCall } from "../../lib/call-styles/call-style.ts";
import { type CallStyleName, callStyles } from "../../lib/call-styles/index.ts";
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

/** The visible text and the reasoning, whichever way it came. */
function told(reply: Reply): { readonly text: string; readonly reasoning: string | null } {
  const inline = thinking.exec(reply.text);
  const text = inline === null ? reply.text : reply.text.slice(inline[0].length);
  return { text, reasoning: reply.reasoning ?? (inline?.[1] ?? inline?.[2])?.trim() ?? null };
}

/** A turn whose calls are written as text. */
export function wantedText(reply: Reply, style: CallStyleName, tools: readonly string[]): WantedTurn {
  const { text, reasoning } = told(reply);
  const read = callStyles[style].readReply(text, tools);
  return "problem" in read
    ? { thought: text.trim(), reasoning, calls: [], problem: read.problem }
    : { thought: read.thought, reasoning, calls: read.calls, problem: null };
}

/** Reasoning is kept apart from the visible thought. */
export function wantedTurn(reply: Reply, style: WireStyle, tools: readonly string[]): WantedTurn {
  if (style === "xml") return wantedText(reply, style, tools);
  const { text, reasoning } = told(reply);
  const calls = reply.calls.filter(isNamed).map((call) => ({ name: call.name, arguments: call.arguments }));
  const nameless = reply.calls.filter((call) => !isNamed(call)).map((call) => call.arguments);
  const thought = [text.trim(), ...nameless].filter((line) => line !== "").join("\n");
  return { thought, reasoning, calls, problem: nameless.length > 0 ? noName : null };
}
