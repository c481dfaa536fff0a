import { licenceTrouble } from "../../../stages/export/licences.ts";
import { exportedColumns } from "../exported-columns.ts";
import type { Gate } from "./gate.ts";

/** Every source of the exported rows names a licence that allows publishing it beside the others. Read from the rows themselves. */
export const licence: Gate = async ({ folder, files, onFile }) => {
  const counts = new Map<string, { source: string; licence: string | null; rows: number }>();
  for await (const { cat_source: source, cat_license: own } of exportedColumns(folder, files, ["cat_source", "cat_license"], onFile)) {
    const key = `${source}: ${own ?? "unknown"}`;
    const known = counts.get(key) ?? { source: source ?? "", licence: own, rows: 0 };
    known.rows += 1;
    counts.set(key, known);
  }
  const findings = [...counts]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([subject, { licence: own, rows }]) => {
      const trouble = licenceTrouble(own);
      return trouble === null ? [] : [{ subject, what: `${rows} rows: ${trouble}` }];
    });
  return {
    looked:
      counts.size === 0
        ? "no rows"
        : [...counts]
            .map(([name, { rows }]) => `${name} (${rows} rows)`)
            .sort()
            .join(", "),
    findings,
    mend: "name the licence of the input with generate.licence and import again, or leave the source out; or approve it once you have read its terms",
  };
};
