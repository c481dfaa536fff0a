import type { SelectionSummary } from "../../schemas/analysis.ts";
import { SetRule } from "../../schemas/selection.ts";
import { stepNamed } from "../plan.ts";
import { readManifests } from "../store/manifests.ts";
import type { RunFolder } from "../store/run-folder.ts";
import { readAllBundles } from "./bundles.ts";

/** What the set-level pass has done, from its rows; null: it was not made yet. */
export async function selectionSummary(run: RunFolder): Promise<SelectionSummary | null> {
  if ((await readManifests(run, stepNamed("select").step)).includes(null)) return null;
  const counts = new Map<SetRule, number>();
  let [candidates, selected, withoutCalls] = [0, 0, 0];
  for await (const { selection } of readAllBundles(run, ["selection"])) {
    if (selection?.outcome.ok !== true) continue;
    const { leftOut, standing } = selection.outcome.value;
    candidates += 1;
    if (leftOut !== null) counts.set(leftOut.rule, (counts.get(leftOut.rule) ?? 0) + 1);
    else {
      selected += 1;
      if (standing.contextCalls === 0) withoutCalls += 1;
    }
  }
  const leftOut = SetRule.options.flatMap((rule) => {
    const trajectories = counts.get(rule) ?? 0;
    return trajectories === 0 ? [] : [{ rule, trajectories }];
  });
  return { candidates, selected, withoutCalls, leftOut };
}

export const selectionText = ({ candidates, selected, withoutCalls, leftOut }: SelectionSummary): string =>
  `${selected} of ${candidates} trajectories with kept samples are selected (${withoutCalls} without a context call)${leftOut.length === 0 ? "" : `; left out: ${leftOut.map(({ rule, trajectories }) => `${rule} ${trajectories}`).join(", ")}`}`;
