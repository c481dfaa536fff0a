import type { Decision } from "../../../schemas/verdict.ts";
import { flatTurns } from "../../lib/samples.ts";
import { ok } from "../../stage.ts";
import { type Kind, stitched } from "./kind.ts";

/** A block that costs one of the samples costs this one, which holds them all. What a segment alone is too large for is no matter here. */
const blamesBlock = ({ failed }: Decision): boolean => failed.some(({ block, action }) => block !== null && action !== "flag");

/** The whole trajectory with its context calls in line, nothing folded: for windows that hold everything, and to compare folding with. */
export const flat: Kind = {
  decisions({ verdict: { context, segments, condensations }, workspace }) {
    if (workspace === null) return [];
    return [{ ...context, keep: context.keep && ![...segments, ...condensations].some(blamesBlock) }];
  },
  draft(input, _index, { persona }) {
    const { memory } = stitched(input);
    return ok({
      turns: flatTurns(input.rendered, memory.blocks, persona),
      system: input.rendered.prompts.asked,
      tools: input.rendered.tools,
      memories: memory.blocks.map((_block, block) => ({ block, trained: false })),
      keptSteps: null,
    });
  },
};
