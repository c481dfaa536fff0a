import type { ChatMessage } from "../../../../schemas/completion.ts";
import type { RolloutTurn } from "../../../../schemas/rollout.ts";
import type { Step, Trajectory } from "../../../../schemas/trajectory.ts";
import { callStyles } from "../../../lib/call-styles/index.ts";
import { withSystem } from "../../../lib/chatml.ts";
import { condenseInput } from "../../../lib/condense-input.ts";
import { condenseRequest } from "../../../lib/condense-request.ts";
import { readMemory } from "../../../lib/memory-reply.ts";
import { renderMemory } from "../../../lib/memory-text.ts";
import { contextCall } from "../../../lib/personas/persona.ts";
import { blockTexts, type Rendered, type RenderedStep, render } from "../../../lib/render.ts";
import { measureSizes } from "../../../lib/sizes.ts";
import { shownStep } from "../messages.ts";
import { wantedText } from "../reply.ts";
import type { ContextPolicy, ConversationSetup } from "./policy.ts";

/** A context call that was answered. One that was not (nothing to fold, other calls beside it) is a turn without calls. */
const isContextTurn = (turn: RolloutTurn): boolean => turn.calls.some(({ name, malformed }) => name === contextCall.name && !malformed);

/** Turns under the samples' own renderer. Prompt and tools are the opening's, so of the task nothing is asked but the steps. */
function rendered(steps: readonly Step[], { opening, persona }: ConversationSetup): Rendered {
  const task = { system: opening.system, prompt: opening.prompt, issue: null, workdir: null, repository: null, tools: [] };
  const origin = {
    dialect: "catgen-rollout",
    file: "",
    record: null,
    digest: "",
    licence: null,
    model: null,
    callStyle: "native" as const,
  };
  const rendering = render({ task, origin, steps } as unknown as Trajectory, persona);
  if (!rendering.ok) throw new Error(`a turn of the live agent cannot be rendered: ${rendering.reasons.join(" ")}`);
  return rendering.value;
}

const user = (content: string): ChatMessage => ({ role: "user", content });
const assistant = (content: string): ChatMessage => ({ role: "assistant", content, calls: [] });

/** The last answered call with what it left in sight: steps [keptFrom, cut) of the base steps. */
interface Fold {
  readonly turn: RolloutTurn;
  readonly cut: number;
  readonly keptFrom: number;
}

/** Base turns, and every answered call in order. k is read at the call, and calls are not counted in it (DESIGN 5). */
function split(
  turns: readonly RolloutTurn[],
  keepSteps: number,
): { readonly base: readonly RolloutTurn[]; readonly folds: readonly Fold[] } {
  const base: RolloutTurn[] = [];
  const folds: Fold[] = [];
  for (const turn of turns) {
    if (isContextTurn(turn)) folds.push({ turn, cut: base.length, keptFrom: base.length - keepSteps });
    else base.push(turn);
  }
  return { base, folds };
}

/**
 * CAT's agent (paper, sections 2.2 and 2.3): it calls `context` itself, and what it sees afterwards is the task, the call with its memory,
 * the k steps before it, and what follows. Everything is written as text by the samples' own renderer and call style and sent without
 * native tools, so that it reads what it was trained on, whatever the server makes of tools.
 */
export const cat: ContextPolicy = {
  name: "cat",
  offersContext: true,
  open(setup) {
    const { opening, persona, keepSteps, memory } = setup;
    const style = callStyles[persona.callStyle];
    const head: readonly ChatMessage[] = [{ role: "system", content: style.system(opening.system, opening.tools) }, user(opening.prompt)];
    const steps = new WeakMap<RolloutTurn, RenderedStep>();
    const groups = new WeakMap<RolloutTurn, readonly ChatMessage[]>();

    function stepFor(turn: RolloutTurn): RenderedStep {
      const known = steps.get(turn) ?? rendered([shownStep(turn)], setup).steps[0];
      if (known === undefined) throw new Error("a step was rendered to none");
      steps.set(turn, known);
      return known;
    }
    function groupOf(turn: RolloutTurn): readonly ChatMessage[] {
      const known = groups.get(turn);
      if (known !== undefined) return known;
      const { assistant: said, user: answer } = stepFor(turn);
      const group = answer === null ? [assistant(said)] : [assistant(said), user(answer)];
      groups.set(turn, group);
      return group;
    }
    function callGroup({ turn }: Fold): readonly ChatMessage[] {
      const known = groups.get(turn);
      if (known !== undefined) return known;
      const texts = blockTexts({ thought: turn.thought, memory: turn.calls[0]?.result ?? "" }, persona);
      const group = [assistant(texts.call), user(texts.result)];
      groups.set(turn, group);
      return group;
    }

    return {
      tools: [],
      read: (reply) => wantedText(reply, persona.callStyle, opening.tools),
      before(turns) {
        const { base, folds } = split(turns, keepSteps);
        const last = folds.at(-1);
        return last === undefined ? [head, ...base.map(groupOf)] : [head, callGroup(last), ...base.slice(last.keptFrom).map(groupOf)];
      },
      context: {
        request(turns) {
          const { base, folds } = split(turns, keepSteps);
          const keptFrom = base.length - keepSteps;
          const earlier = folds.at(-1);
          if (keptFrom <= (earlier?.keptFrom ?? 0))
            return {
              ok: false,
              why: "There is nothing to condense yet: everything but the latest steps is in the memory already. Go on with the task.",
            };
          const whole: Rendered = { ...rendered([], setup), prompt: opening.prompt, steps: base.map(stepFor) };
          const sizes = measureSizes(whole, setup.countTokens);
          const before = earlier === undefined ? null : { keptFrom: earlier.keptFrom, memory: earlier.turn.calls[0]?.result ?? "" };
          const input = condenseInput(whole, sizes, { cut: base.length, keptFrom }, before, memory);
          const asked = withSystem([{ role: "user" as const, content: condenseRequest(input) }]);
          const messages = asked.map(({ role, content }): ChatMessage => ({ role, content }));
          return { ok: true, messages, maxTokens: memory.memoryCapTokens };
        },
        memory(text) {
          const read = readMemory(text);
          return read.ok ? renderMemory(read.notes) : text.trim();
        },
      },
    };
  },
};
