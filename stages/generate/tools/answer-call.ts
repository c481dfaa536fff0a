import { excerpt } from "../../lib/call-styles/excerpt.ts";
import { agentTools } from "./index.ts";
import { type Observation, refused, type ToolContext } from "./tool.ts";

/** `malformed`: no tool ran, because the call names none or has arguments that it cannot use; the text says what was expected. */
export interface CallAnswer extends Observation {
  readonly malformed: boolean;
}

/** Runs one call. `offered`: names of all tools that the agent was shown, `context` among them where it has one. */
export async function answerCall(
  call: { readonly name: string; readonly arguments: string },
  offered: readonly string[],
  context: ToolContext,
): Promise<CallAnswer> {
  const tool = agentTools.get(call.name);
  if (tool === undefined)
    return { ...refused(`There is no tool ${excerpt(call.name)}. Expected one of ${offered.join(", ")}.`), malformed: true };
  const parsed = tool.parse(call.arguments);
  if (!parsed.ok) return { ...refused(`${parsed.why}.`), malformed: true };
  return { ...(await tool.run(parsed.value, context)), malformed: false };
}
