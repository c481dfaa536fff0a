import type { Workspace } from "../../../schemas/sidecars.ts";
import { callsOf, callTurns, segmentTurns } from "../../lib/samples.ts";
import { ok } from "../../stage.ts";
import { itemAt, type Kind, spanSteps, stitched } from "./kind.ts";

/** Segment and model call within it, for the number of a model call over the whole trajectory. */
function placeOf({ segments }: Workspace, index: number): { segment: number; call: number } {
  let call = index;
  for (const [segment, one] of segments.entries()) {
    if (call < callsOf(one)) return { segment, call };
    call -= callsOf(one);
  }
  throw new Error(`model call ${index} is asked for but there are only ${index - call}`);
}

/**
 * One sample per model call, with exactly what the live agent sees when it makes it: for trainers that train the last turn only. Each call
 * is as good as the segment that it stands in. All of a segment's calls repeat its text, so this costs many times what segments cost.
 */
export const step: Kind = {
  decisions: ({ verdict, workspace }) =>
    verdict.segments.flatMap((decision, index) => {
      const segment = workspace?.segments[index];
      return segment === undefined ? [] : Array.from({ length: callsOf(segment) }, () => decision);
    }),
  draft(input, index, { persona }) {
    const { memory, workspace } = stitched(input);
    const place = placeOf(workspace, index);
    const one = itemAt(workspace.segments, place.segment, "segment");
    return ok({
      turns: callTurns(segmentTurns(input.rendered, memory.blocks, one, persona), place.call),
      system: input.rendered.prompts.asked,
      tools: input.rendered.tools,
      memories: one.opens === null ? [] : [{ block: one.opens, trained: false }],
      keptSteps: one.opens === null ? null : spanSteps(one.recent),
    });
  },
};
