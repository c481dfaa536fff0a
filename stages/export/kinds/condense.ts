import { condensationTurns } from "../../lib/samples.ts";
import { ok, rejected } from "../../stage.ts";
import { itemAt, type Kind, spanSteps, stitched } from "./kind.ts";

/**
 * The condenser's own work: what it was asked, and the memory it wrote. Built-in text is left out unless the recipe asks for it, since
 * nobody wants to teach a model to write like it.
 */
export const condense: Kind = {
  decisions: ({ verdict }) => verdict.condensations,
  draft(input, index, params) {
    const { memory, workspace } = stitched(input);
    const one = itemAt(workspace.condensations, index, "condensation");
    const { writer } = itemAt(memory.blocks, one.target, "block");
    if (writer.condenser === "extractive" && !params.export.condenseExtractive) return rejected("extractive-memory");
    if (writer.condenser === "llm" && writer.pieces > 1) return rejected("memory-in-pieces"); // no single request stands for it
    return ok({
      turns: condensationTurns(input.rendered, input.sizes, memory.blocks, one, params.condense),
      system: null,
      tools: [],
      memories: [...(one.opens === null ? [] : [{ block: one.opens, trained: false }]), { block: one.target, trained: true }],
      keptSteps: spanSteps(one.recent),
    });
  },
};
