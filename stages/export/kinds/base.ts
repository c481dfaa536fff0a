import { baseTurns } from "../../lib/samples.ts";
import { ok } from "../../stage.ts";
import type { Kind } from "./kind.ts";

/** The whole trajectory without context calls: the paper's BASE-INSTRUCT, which trains the ReAct baseline. */
export const base: Kind = {
  decisions: ({ verdict }) => [verdict.base],
  draft({ rendered }, _index, { export: { baseTools } }) {
    return ok({
      turns: baseTurns(rendered, baseTools),
      system: rendered.prompts.base,
      tools: baseTools === "with-context" ? rendered.tools : rendered.tools.slice(0, -1), // `context` is the last one
      memories: [],
      keptSteps: null,
    });
  },
};
