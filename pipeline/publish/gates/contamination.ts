import { evaluationHit } from "../../../stages/lib/decontamination.ts";
import { loadEvaluationLists } from "../../tasks/decontamination.ts";
import { exportedColumns } from "../exported-columns.ts";
import type { Gate } from "./gate.ts";

/** No exported row works on an instance that models are evaluated on. Read from the rows themselves. */
export const contamination: Gate = async ({ folder, files, evaluationLists, onFile }) => {
  const lists = await loadEvaluationLists(evaluationLists);
  const instances = new Map<string, number>();
  for await (const { cat_instance_id: instance } of exportedColumns(folder, files, ["cat_instance_id"], onFile))
    if (instance !== null) instances.set(instance, (instances.get(instance) ?? 0) + 1);
  const hits = [...instances]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([instance, rows]) => {
      const hit = evaluationHit({ instance, repository: null }, lists);
      return hit?.by === "instance" ? [{ subject: instance, what: `${rows} rows of an instance of ${hit.list}` }] : [];
    });
  return {
    looked: `${instances.size} instances against ${lists.map(({ name, instances: own }) => `${name} (${own.size})`).join(", ")}`,
    findings: hits,
    mend: "reject evaluation instances when judging (filter.contamination) and run 5-6 again",
  };
};
