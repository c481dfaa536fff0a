import { baseTurns } from "../../lib/samples.ts";
import { ok, rejected } from "../../stage.ts";
import type { Kind } from "./kind.ts";

/**
 * The whole trajectory without context calls: the paper's BASE-INSTRUCT, which trains the ReAct baseline. After SWE-smith's protocol of
 * resolved runs, a few per instance (`Mix` draws those).
 */
export const base: Kind = {
  decisions: ({ verdict }) => [verdict.base],
  draft({ rendered, trajectory }, _index, { export: { baseTools, baseOutcome } }) {
    const { resolved } = trajectory.outcome;
    if (baseOutcome !== null && (resolved === false || (resolved === null && baseOutcome === "resolved"))) return rejected("unresolved");
    return ok({
      turns: baseTurns(rendered, baseTools),
      system: rendered.prompts.base,
      tools: baseTools === "with-context" ? rendered.tools : rendered.tools.slice(0, -1), // `context` is the last one
      memories: [],
      keptSteps: null,
    });
  },
};
