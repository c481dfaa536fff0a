import type { Placement } from "./placement.ts";
import { withoutBlankStart } from "./template.ts";

/**
 * What the live agent sees, written down from DESIGN 5 a second time and on purpose in another way than `stages/lib/samples`: by step
 * number from 1, one model call at a time, without segments.
 */
export interface Seen {
  readonly role: "system" | "user" | "assistant";
  readonly content: string;
}

const say = (role: Seen["role"], content: string): Seen => ({ role, content });

/** The context call as text in the `hermes` style; a blank line at the start of a thought is left out. */
function contextCallText(thought: string): string {
  const call = '<tool_call>\n{"name": "context", "arguments": {}}\n</tool_call>';
  const own = withoutBlankStart(thought);
  return own === "" ? call : `${own}\n${call}`;
}

/** Step `t` in 1..T as the agent has it in its history: its own turn, then what came back. */
function stepAsSeen({ rendered }: Placement, t: number): Seen[] {
  const step = rendered.steps[t - 1];
  if (step === undefined) throw new Error(`there is no step ${t}`);
  return step.user === null ? [say("assistant", step.assistant)] : [say("assistant", step.assistant), say("user", step.user)];
}

const question = ({ rendered }: Placement): Seen[] => [say("system", rendered.system), say("user", rendered.prompt)];

/** Number of blocks whose call came before step `t` was spoken: a_j < t. */
const blocksBefore = ({ blocks }: Placement, t: number): number => blocks.filter((block) => block.cut < t).length;

/** C(t) with only the first `count` blocks called so far. */
function contextAfter(placement: Placement, count: number, t: number): Seen[] {
  const block = placement.blocks[count - 1];
  const seen = question(placement);
  if (block !== undefined)
    seen.push(say("assistant", contextCallText(block.thought)), say("user", `<tool_response>\n${block.memory}\n</tool_response>`));
  const first = block === undefined ? 1 : block.cut - placement.keepSteps + 1;
  for (let earlier = first; earlier < t; earlier += 1) seen.push(...stepAsSeen(placement, earlier));
  return seen;
}

/** C(t): what the agent sees when it speaks step `t` in 1..T. */
export const contextOfStep = (placement: Placement, t: number): Seen[] => contextAfter(placement, blocksBefore(placement, t), t);

/** What it sees when it makes context call `j` in 1..n: what step a_j + 1 would have seen without it. */
export const contextOfCall = (placement: Placement, j: number): Seen[] =>
  contextAfter(placement, j - 1, (placement.blocks[j - 1]?.cut ?? 0) + 1);

/** The turn of context call `j` in 1..n. */
export const turnOfCall = ({ blocks }: Placement, j: number): Seen => say("assistant", contextCallText(blocks[j - 1]?.thought ?? ""));
/** The turn of step `t` in 1..T. */
export const turnOfStep = ({ rendered }: Placement, t: number): Seen => say("assistant", rendered.steps[t - 1]?.assistant ?? "");

/** Every model call of the run in the order it happens: steps 1..T, with call j between steps a_j and a_j + 1. */
export function modelCalls(placement: Placement): { context: Seen[]; reply: Seen; step: number }[] {
  const calls: { context: Seen[]; reply: Seen; step: number }[] = [];
  for (let t = 1; t <= placement.trajectory.steps.length; t += 1) {
    calls.push({ context: contextOfStep(placement, t), reply: turnOfStep(placement, t), step: t - 1 });
    const j = placement.blocks.findIndex((block) => block.cut === t) + 1;
    if (j > 0) calls.push({ context: contextOfCall(placement, j), reply: turnOfCall(placement, j), step: -1 });
  }
  return calls;
}
