import { auditFolder } from "../../../schemas/audit.ts";
import { Metrics } from "../../../schemas/metrics.ts";
import { evaluationTasks } from "../../../stages/export/contamination-count.ts";
import { evaluationHit } from "../../../stages/lib/decontamination.ts";
import { loadIdLists } from "../../contamination/load.ts";
import { jsonOf } from "../../store/run-folder.ts";
import { exportedColumns } from "../exported-columns.ts";
import type { Gate, GateInput, GateReport } from "./gate.ts";

/** Hits by repository alone are no tasks of a set: the card counts them, and they go. */
const stopsAt: ReadonlySet<string> = new Set(["instance", "text", "patch"]);

const isAudit = (path: string): boolean => path.startsWith(`${auditFolder}/`);

type Finding = GateReport["findings"][number];

/** What judging measured and kept, by set; by instance only where the rows name no instance themselves. */
function measured({ stats }: GateInput, rowsSayInstance: boolean): Finding[] {
  const hits = stats?.funnel?.contamination.hits ?? [];
  return hits.flatMap(({ list, by, kept }) =>
    kept > 0 && stopsAt.has(by) && !(by === "instance" && rowsSayInstance)
      ? [{ subject: `${list} by ${by}`, what: `${kept} trajectories are kept, found in the set by their ${by}` }]
      : [],
  );
}

/** What a row of the audit says of its own trajectory; `unmeasured`: nothing that can be read. */
function tasksOf(text: string | null): readonly string[] {
  const outcome = (text === null ? null : (jsonOf(text) as { outcome?: { value?: unknown } } | null))?.outcome;
  const metrics = Metrics.safeParse(outcome?.value);
  if (!metrics.success) return ["unmeasured"];
  return evaluationTasks(metrics.data.trajectory.contamination).map(({ list, by }) => `${list} by ${by}`);
}

/** What was rejected and travels all the same, by what its rows say of the words of task and patch; ids are looked at with all others. */
async function rejected({ folder, files, onFile }: GateInput): Promise<Finding[]> {
  const side = files.filter(({ path }) => path.startsWith(`${auditFolder}/rejected-`));
  const found = new Map<string, number>();
  for await (const { cat_audit_metrics: text } of exportedColumns(folder, side, ["cat_audit_metrics"], onFile))
    for (const task of tasksOf(text)) if (!task.endsWith(" by instance")) found.set(task, (found.get(task) ?? 0) + 1);
  return [...found]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([task, count]) => ({ subject: `${auditFolder}/rejected: ${task}`, what: `${count} rejected trajectories travel along` }));
}

/** No exported row works on a task that models are evaluated on: by id from the rows themselves, by words from what judging measured. */
export const contamination: Gate = async (input) => {
  const { folder, files, evaluation, onFile } = input;
  const lists = await loadIdLists(evaluation);
  const instances = new Map<string, number>();
  const count = async (counted: GateInput["files"]): Promise<number> => {
    let rows = 0;
    for await (const { cat_instance_id: instance } of exportedColumns(folder, counted, ["cat_instance_id"], onFile)) {
      rows += 1;
      if (instance !== null) instances.set(instance, (instances.get(instance) ?? 0) + 1);
    }
    return rows;
  };
  const samples = await count(files.filter(({ path }) => !isAudit(path)));
  await count(files.filter(({ path }) => isAudit(path)));
  const byId = [...instances]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([instance, count]) => {
      const hit = evaluationHit({ instance, repository: null }, lists);
      return hit?.by === "instance" ? [{ subject: instance, what: `${count} rows of an instance of ${hit.list}` }] : [];
    });
  return {
    looked: `${instances.size} instances against ${lists.map(({ name, instances: own }) => `${name} (${own.size})`).join(", ")}`,
    findings: [...byId, ...measured(input, samples > 0), ...(await rejected(input))],
    mend: "let the filters reject them (filter.allowEvaluationInstances: false, filter.maxEvaluationTextShare, filter.maxEvaluationPatchShare) and run 5-6 again",
  };
};
