import { failureFollower, failureLine } from "../failures.ts";
import { nothing, type PastSignal } from "./signal.ts";

/**
 * This step failed like others before it. 1 at the third failure with one signature in a row and 0.75 at each one after it; 0.6 at every
 * third failure in a row when the signatures differ; 0.5 at the second with one signature; else 0. Steps that look, edit or install may lie
 * between; passing tests, or success of what had failed, end the row, and so do eight steps without a failure. Source: CAT 2.4 (1), error
 * correction ("repeated failures"); two failures as in prior-systems 5, open point 16.
 */
export const repeatedFailures: PastSignal = {
  family: "error-correction",
  sees: "past",
  watch: () => {
    const follow = failureFollower();
    return (facts) => {
      const row = follow(facts);
      const newest = row.at(-1);
      if (newest === undefined || newest.number !== facts.number) return nothing;
      const { signature } = newest.action;
      const same = signature === null ? [] : row.filter(({ action }) => action.signature === signature);
      if (same.length >= 3) return { score: same.length === 3 ? 1 : 0.75, evidence: same.slice(-4).map(failureLine) };
      if (row.length % 3 === 0) return { score: 0.6, evidence: row.slice(-3).map(failureLine) };
      return same.length === 2 ? { score: 0.5, evidence: same.map(failureLine) } : nothing;
    };
  },
};
