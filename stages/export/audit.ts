import { type AuditPart, type WithheldReason, withheldReasons } from "../../schemas/audit.ts";
import type { Row as Columns } from "../../schemas/columns.ts";
import { ContaminationKind, contaminationFilter } from "../../schemas/contamination.ts";
import type { Metrics } from "../../schemas/metrics.ts";
import type { Row } from "../../schemas/row.ts";
import type { LeftOut } from "../../schemas/selection.ts";
import type { Trajectory } from "../../schemas/trajectory.ts";
import type { Verdict } from "../../schemas/verdict.ts";
import { evaluationTasks } from "./contamination-count.ts";
import { grouped } from "./number-text.ts";
import type { YamlValue } from "./yaml-text.ts";

/** What is stored of one trajectory, as its stages have written it; null: the stage broke on it. */
export interface AuditRecord {
  readonly trajectory: Trajectory;
  readonly parts: Readonly<Record<AuditPart, Row<unknown> | null>>;
  /** Does any sample of it go into the dataset, as far as the verdict and the set say? */
  readonly kept: boolean;
  /** Why it may not travel; null: it may. */
  readonly withheld: WithheldReason | null;
}

export const auditSides = ["kept", "rejected"] as const;
export type AuditSide = (typeof auditSides)[number];

/** Rows of each file set; `leftOut`: trajectories that are in none, by reason (`AuditAccount`). */
export interface AuditSizes {
  readonly rows: Readonly<Record<AuditSide, number>>;
  readonly leftOut: Readonly<Record<string, number>>;
}

/** Is any sample of the trajectory kept? */
export const isKept = ({ segments, condensations, base }: Verdict, leftOut: LeftOut | null): boolean =>
  leftOut === null && [...segments, ...condensations, base].some(({ keep }) => keep);

const contaminationFilters: ReadonlySet<string> = new Set(ContaminationKind.options.map(contaminationFilter));

const isContaminated = (metrics: Metrics, verdict: Verdict): boolean =>
  evaluationTasks(metrics.trajectory.contamination).length > 0 ||
  verdict.trajectory.failed.some(({ filter, action }) => action !== "flag" && contaminationFilters.has(filter));

/**
 * Why a rejected trajectory does not go outside. Whoever pulls the dataset loosens thresholds, and no threshold of theirs may bring a task
 * that models are evaluated on into training data; its text lies open besides. A kept one is in the dataset anyway, where the gate before
 * publishing asks for it.
 */
export function withheldReason(kept: boolean, metrics: Metrics | null, verdict: Verdict | null): WithheldReason | null {
  if (kept) return null;
  if (metrics === null || verdict === null) return "not-measured";
  return isContaminated(metrics, verdict) ? "evaluation-task" : null;
}

const partText = (row: Row<unknown> | null): string | null =>
  row === null ? null : JSON.stringify({ rev: row.rev, from: row.from, outcome: row.outcome });

export const auditRow = ({ trajectory, parts }: AuditRecord): Columns => ({
  cat_audit_id: trajectory.id,
  cat_instance_id: trajectory.instance,
  cat_source: trajectory.source,
  cat_license: trajectory.origin.licence,
  cat_audit_trajectory: JSON.stringify(trajectory),
  cat_audit_detection: partText(parts.detection),
  cat_audit_memory: partText(parts.memory),
  cat_audit_workspace: partText(parts.workspace),
  cat_audit_metrics: partText(parts.metrics),
});

/** The entry of the card's `configs`; the last, since nobody trains on it. Empty: there is no row. */
export function auditConfigs({ rows }: AuditSizes, content: string): YamlValue[] {
  const sides = auditSides.filter((side) => rows[side] > 0);
  if (sides.length === 0) return [];
  return [
    {
      config_name: "audit",
      description: `content ${content}`,
      data_files: sides.map((side) => ({ split: side, path: [`audit/${side}-*.parquet`] })),
    },
  ];
}

const leftOutText = (leftOut: Readonly<Record<string, number>>): string => {
  const left = (reasons: readonly string[], why: string): string => {
    const count = reasons.reduce((sum, reason) => sum + (leftOut[reason] ?? 0), 0);
    return count === 0 ? "" : ` ${grouped(count)} ${count === 1 ? "trajectory is" : "trajectories are"} left out of it, ${why}.`;
  };
  const secrets = Object.keys(leftOut).filter((reason) => !withheldReasons.some((one) => one === reason));
  const named = secrets.map((type) => `\`${type}\` ${leftOut[type]}`);
  return [
    left(["evaluation-task"], "rejected and on tasks that models are evaluated on: no threshold brings them into training data"),
    left(["not-measured"], "which could not be measured, and so not be held against such tasks"),
    left(secrets, `holding what looks like a secret: ${named.join(", ")}`),
  ].join("");
};

/** The card's paragraph on the audit. */
export const auditText = ({ rows, leftOut }: AuditSizes): string =>
  `## Judging it anew

\`audit/\` holds the ${grouped(rows.kept)} trajectories that the thresholds keep${rows.rejected > 0 ? ` and the ${grouped(rows.rejected)} that were rejected` : ""}, each with its insertion points, memories, segments and metrics as JSON text
(\`load_dataset("PATH_OR_REPO", "audit")\`; not for training).${leftOutText(leftOut)} catgen judges them by other thresholds without asking a model:

\`\`\`bash
catgen run all --run mine --input hf://ORG/NAME      # or the folder you downloaded
catgen run 5-6 --run mine --set filter.minSteps=20
\`\`\`

${rows.rejected > 0 ? "" : "Looser thresholds need what was rejected, too, which is not here (`export.audit: all` publishes it)."}`.trimEnd();
