import type { Call, Task, Trajectory } from "../../../schemas/trajectory.ts";
import type { WrittenCall } from "../call-styles/call-style.ts";
import type { Member } from "../json-text.ts";

/** What a persona makes of one call. `words`: text of the call that has no place in the persona's call and moves into the thought. */
export type MappedCall =
  | { readonly ok: true; readonly call: WrittenCall; readonly words: string | null }
  | { readonly ok: false; readonly lacks: string };

/** Who the agent is in the samples: system prompt, task prompt, tools, and how the source's calls become this persona's. */
export interface Persona {
  /** `withContext`: whether the agent is told to use the `context` tool; the ReAct baseline is not. */
  system(task: Task, withContext: boolean): string | null;
  /** The words of a turn without what only the source's protocol asks for. */
  thought(text: string): string;
  prompt(task: Task): string;
  /** Raw JSON text of each tool schema, without the `context` tool. */
  tools(trajectory: Pick<Trajectory, "task" | "origin">): readonly string[];
  /**
   * `members` are those of the call's arguments; the arguments of the answer are spaced JSON.
   * `lacks` names what has no counterpart: `think`, or `execute_bash.sudo` for an argument.
   */
  map(call: Call, members: readonly Member[]): MappedCall;
}

const quote = (value: unknown): string => JSON.stringify(value);

/** Raw JSON text of an OpenAI function schema, keys in the customary order. */
export const toolSchema = (name: string, description: string, parameters: Record<string, unknown>): string =>
  `{"type": "function", "function": {"name": ${quote(name)}, "description": ${quote(description)}, "parameters": ${quote(parameters)}}}`;

/** The tool that the product is about (CAT 2.2). No arguments; its result is the memory. */
export const contextTool = toolSchema(
  "context",
  "Condense the older part of this conversation into a structured memory. The task and the latest steps stay as they are; everything before them is replaced by the memory that this call returns. Call it alone in its turn: when a piece of work is done, when the context has grown long, or before taking a new direction after failures.",
  { type: "object", properties: {}, additionalProperties: false },
);

export const contextCall: WrittenCall = { name: "context", arguments: "{}" };
