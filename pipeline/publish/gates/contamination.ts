import { evaluationHit } from "../../../stages/lib/decontamination.ts";
import { loadIdLists } from "../../contamination/load.ts";
import { exportedColumns } from "../exported-columns.ts";
import type { Gate, GateInput, GateReport } from "./gate.ts";

/** Hits by repository alone are no tasks of a set: the card counts them, and they go. */
const stopsAt: ReadonlySet<string> = new Set(["instance", "text", "patch"]);

/** What judging measured and kept, by set; by instance only where the rows name no instance themselves. */
function measured({ stats }: GateInput, rowsSayInstance: boolean): GateReport["findings"][number][] {
  const hits = stats?.funnel?.contamination.hits ?? [];
  return hits.flatMap(({ list, by, kept }) =>
    kept > 0 && stopsAt.has(by) && !(by === "instance" && rowsSayInstance)
      ? [{ subject: `${list} by ${by}`, what: `${kept} trajectories are kept, found in the set by their ${by}` }]
      : [],
  );
}

/** No exported row works on a task that models are evaluated on: by id from the rows themselves, by words from what judging measured. */
export const contamination: Gate = async (input) => {
  const { folder, files, evaluation, onFile } = input;
  const lists = await loadIdLists(evaluation);
  const instances = new Map<string, number>();
  let rows = 0;
  for await (const { cat_instance_id: instance } of exportedColumns(folder, files, ["cat_instance_id"], onFile)) {
    rows += 1;
    if (instance !== null) instances.set(instance, (instances.get(instance) ?? 0) + 1);
  }
  const byId = [...instances]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([instance, count]) => {
      const hit = evaluationHit({ instance, repository: null }, lists);
      return hit?.by === "instance" ? [{ subject: instance, what: `${count} rows of an instance of ${hit.list}` }] : [];
    });
  return {
    looked: `${instances.size} instances against ${lists.map(({ name, instances: own }) => `${name} (${own.size})`).join(", ")}`,
    findings: [...byId, ...measured(input, rows > 0)],
    mend: "let the filters reject them (filter.allowEvaluationInstances: false, filter.maxEvaluationTextShare, filter.maxEvaluationPatchShare) and run 5-6 again",
  };
};
