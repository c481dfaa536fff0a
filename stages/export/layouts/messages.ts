import { bool, list, nullable, struct, utf8 } from "../../../schemas/columns.ts";
import { withSystem } from "../../lib/chatml.ts";
import { type Layout, metadataColumns, metadataOf } from "./layout.ts";

/**
 * Flat chat messages: roles system, user and assistant, plain strings only, so that every trainer that was tried makes the same tokens
 * of them (trainers.md 1). `train` is read by axolotl and by the gated template, `loss` by ms-swift, which wants it on assistant turns only.
 */
export const messages: Layout = {
  columns: { messages: list(struct({ role: utf8, content: utf8, train: bool, loss: nullable(bool) })), ...metadataColumns },
  row(sample, facts) {
    const whole = { ...sample, turns: withSystem(sample.turns) };
    return {
      messages: whole.turns.map(({ role, content, train }) => ({ role, content, train, loss: role === "assistant" ? train : null })),
      ...metadataOf(whole, facts),
    };
  },
};
