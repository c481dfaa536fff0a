import { Trajectory } from "../../schemas/trajectory.ts";
import type { InputPart } from "./plan.ts";
import type { Reading } from "./record.ts";
import { quarantine, type Tally, type UnitEvent } from "./tally.ts";

/** What the accounts call the trajectories of a dataset of ours. They are no foreign format: they are taken as they were stored. */
export const auditDialect = "catgen-audit";

function trajectoryIn(text: unknown): { ok: true; value: Trajectory } | { ok: false; why: string } {
  try {
    const parsed = Trajectory.safeParse(JSON.parse(String(text)));
    if (parsed.success) return { ok: true, value: parsed.data };
    const [issue] = parsed.error.issues;
    return { ok: false, why: `no trajectory of this version of catgen: ${issue?.path.join(".")} ${issue?.message}` };
  } catch {
    return { ok: false, why: "a trajectory that is no JSON" };
  }
}

/** One trajectory of an audit: nothing of it is changed, neither its id nor what reports have said of it. */
export function* auditRecordOf(
  row: Readonly<Record<string, unknown>>,
  part: InputPart,
  tally: Tally,
  { seen }: Reading,
  record: number,
): Generator<UnitEvent> {
  tally.report.dialect ??= auditDialect;
  const found = trajectoryIn(row["cat_audit_trajectory"]);
  if (!found.ok) {
    yield quarantine(tally, record, `record ${record}: ${found.why}`, Buffer.from(String(row["cat_audit_trajectory"])));
    return;
  }
  const { id } = found.value;
  tally.report.trajectories.push(id);
  if (seen.has(id)) tally.repeats += 1;
  else yield { kind: "run", file: part.name, record, trajectory: found.value };
  seen.add(id);
}
