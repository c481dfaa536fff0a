import { bool, list, nullable, struct, utf8 } from "../../../schemas/columns.ts";
import { type Layout, metadataColumns, metadataOf, oneRow } from "./layout.ts";

/**
 * Flat chat messages: roles system, user and assistant, plain strings only, so that every trainer that was tried makes the same tokens
 * of them (trainers.md 1). `train` is read by axolotl and by the gated template, `loss` by ms-swift, which wants it on assistant turns only.
 */
export const messages: Layout = {
  columns: { messages: list(struct({ role: utf8, content: utf8, train: bool, loss: nullable(bool) })), ...metadataColumns },
  text: "`messages`: flat `role`, `content`, and per turn `train` (axolotl, gated template) and `loss` (ms-swift); tools are described in the system turn",
  loss: "Flags per message: axolotl reads `train` (it un-trains a leading [[ or trailing ]] of a turn), TRL and NeMo Automodel through the gated chat template, ms-swift `loss` (and trains the newline after `<|im_end|>`, too). LLaMA-Factory, verl and OpenRLHF ignore the flags and train every agent turn, repeated ones too: give them `turns`, `tokenized`, or the `base` kind.",
  structured: false,
  rows({ sample, facts }) {
    return oneRow(
      {
        messages: sample.turns.map(({ role, content, train }) => ({ role, content, train, loss: role === "assistant" ? train : null })),
        ...metadataOf(sample, facts),
      },
      facts,
    );
  },
};
