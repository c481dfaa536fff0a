import { z } from "zod";
import type { Completion, Reply } from "../../../schemas/completion.ts";

const call = z.strictObject({ name: z.string().min(1), arguments: z.record(z.string(), z.json()) });

/** What a scripted agent does, turn by turn, whatever it sees. One that does not end with `submit` gives up after its last turn. */
export const ScriptedPolicy = z.strictObject({
  turns: z.array(z.strictObject({ thought: z.string().min(1), call })).min(1),
});
export type ScriptedPolicy = z.infer<typeof ScriptedPolicy>;

/** Model name of every row that a scripted policy makes. */
export const scriptedModel = "scripted";

/**
 * A backbone that costs nothing: the n-th request of a run gets the n-th turn of the policy. It shows what the pipeline does where no
 * endpoint is at hand; what runs in the sandbox is real.
 */
export function scriptedReply(policy: ScriptedPolicy, request: Completion): Reply | null {
  const turn = policy.turns[request.messages.filter((message) => message.role === "assistant").length];
  if (turn === undefined) return null;
  const { name, arguments: given } = turn.call;
  const calls = [{ id: "scripted", name, arguments: JSON.stringify(given) }];
  return { text: turn.thought.trim(), reasoning: null, calls, model: scriptedModel, tokensIn: null, tokensOut: null, cached: false };
}
