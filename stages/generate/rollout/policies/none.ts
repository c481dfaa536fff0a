import type { ChatMessage } from "../../../../schemas/completion.ts";
import type { RolloutTurn } from "../../../../schemas/rollout.ts";
import { openingMessages, turnMessages, wireStyleOf } from "../messages.ts";
import { wantedTurn } from "../reply.ts";
import type { ContextPolicy } from "./policy.ts";

/** ReAct as it is: the context only grows, until it no longer fits (arXiv 2210.03629). */
export const none: ContextPolicy = {
  name: "none",
  offersContext: false,
  open({ opening, persona }) {
    const style = wireStyleOf(persona);
    const head = openingMessages(opening, style);
    const groups = new WeakMap<RolloutTurn, readonly ChatMessage[]>();
    const groupOf = (turn: RolloutTurn, number: number): readonly ChatMessage[] => {
      const group = groups.get(turn) ?? turnMessages(turn, number, style);
      groups.set(turn, group);
      return group;
    };
    return {
      tools: style === "native" ? opening.tools : [],
      before: (turns) => [head, ...turns.map(groupOf)],
      read: (reply) => wantedTurn(reply, style, opening.tools),
      context: null,
    };
  },
};
