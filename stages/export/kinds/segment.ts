import { segmentTurns } from "../../lib/samples.ts";
import { ok } from "../../stage.ts";
import { itemAt, type Kind, spanSteps, stitched } from "./kind.ts";

/** What the live agent sees between two context calls; every step and every call is trained once (CAT 2.4, DESIGN 5). */
export const segment: Kind = {
  decisions: ({ verdict }) => verdict.segments,
  draft(input, index, { persona }) {
    const { memory, workspace } = stitched(input);
    const one = itemAt(workspace.segments, index, "segment");
    return ok({
      turns: segmentTurns(input.rendered, memory.blocks, one, persona),
      system: input.rendered.prompts.asked,
      tools: input.rendered.tools,
      memories: one.opens === null ? [] : [{ block: one.opens, trained: false }],
      keptSteps: one.opens === null ? null : spanSteps(one.recent),
    });
  },
};
