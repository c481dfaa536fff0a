import { above, type Filter } from "./filter.ts";

/** The agent speaks in a script that the task is not written in. */
export const foreignScript: Filter = {
  scope: "trajectory",
  limit: "maxForeignScriptShare",
  fails: (metrics, { maxForeignScriptShare }) => above(metrics.foreignScriptShare, maxForeignScriptShare),
};
