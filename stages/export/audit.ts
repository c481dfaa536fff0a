import type { AuditPart } from "../../schemas/audit.ts";
import type { Row as Columns } from "../../schemas/columns.ts";
import type { Row } from "../../schemas/row.ts";
import type { LeftOut } from "../../schemas/selection.ts";
import type { Trajectory } from "../../schemas/trajectory.ts";
import type { Verdict } from "../../schemas/verdict.ts";
import { grouped } from "./number-text.ts";
import type { YamlValue } from "./yaml-text.ts";

/** What is stored of one trajectory, as its stages have written it; null: the stage broke on it. */
export interface AuditRecord {
  readonly trajectory: Trajectory;
  readonly parts: Readonly<Record<AuditPart, Row<unknown> | null>>;
  /** Does any sample of it go into the dataset, as far as the verdict and the set say? */
  readonly kept: boolean;
}

export const auditSides = ["kept", "rejected"] as const;
export type AuditSide = (typeof auditSides)[number];

/** Rows of each file set; `leftOut`: trajectories that are in none, by the type of the secret in them. */
export interface AuditSizes {
  readonly rows: Readonly<Record<AuditSide, number>>;
  readonly leftOut: Readonly<Record<string, number>>;
}

/** Is any sample of the trajectory kept? */
export const isKept = ({ segments, condensations, base }: Verdict, leftOut: LeftOut | null): boolean =>
  leftOut === null && [...segments, ...condensations, base].some(({ keep }) => keep);

const partText = (row: Row<unknown> | null): string | null =>
  row === null ? null : JSON.stringify({ rev: row.rev, from: row.from, outcome: row.outcome });

export const auditRow = ({ trajectory, parts }: AuditRecord): Columns => ({
  cat_audit_id: trajectory.id,
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
  const count = Object.values(leftOut).reduce((sum, one) => sum + one, 0);
  if (count === 0) return "";
  const named = Object.entries(leftOut).map(([type, times]) => `\`${type}\` ${times}`);
  return ` ${grouped(count)} ${count === 1 ? "trajectory is" : "trajectories are"} left out of it, holding what looks like a secret: ${named.join(", ")}.`;
};

/** The card's paragraph on the audit. */
export const auditText = ({ rows, leftOut }: AuditSizes): string => `## Judging it anew

\`audit/\` holds the ${grouped(rows.kept)} trajectories that the thresholds keep${rows.rejected > 0 ? ` and the ${grouped(rows.rejected)} that were rejected` : ""}, each with its insertion points, memories, segments and metrics as JSON text
(\`load_dataset("PATH_OR_REPO", "audit")\`; not for training).${leftOutText(leftOut)} catgen judges them by other thresholds without asking a model:

\`\`\`bash
catgen run all --run mine --input hf://ORG/NAME      # or the folder you downloaded
catgen run 5-6 --run mine --set filter.minSteps=20
\`\`\`

${rows.rejected > 0 ? "Rejected trajectories may work on tasks that models are evaluated on." : "Looser thresholds need what was rejected, too, which is not here (`export.audit: all` publishes it)."}`;
