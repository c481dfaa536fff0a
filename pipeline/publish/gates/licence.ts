import { licenceTrouble } from "../../../stages/export/licences.ts";
import { exportedColumns } from "../exported-columns.ts";
import type { Gate, GateInput } from "./gate.ts";

type Counts = Map<string, { readonly licence: string | null; count: number }>;

const nameOf = (source: string, licence: string | null): string => `${source}: ${licence ?? "unknown"}`;

const add = (counts: Counts, source: string, licence: string | null, count: number): void => {
  const name = nameOf(source, licence);
  const known = counts.get(name) ?? { licence, count: 0 };
  known.count += count;
  counts.set(name, known);
};

/** From the rows themselves; what no row of theirs says, from what stage 6 counted. */
async function licencesOf({ folder, files, sources, onFile }: GateInput): Promise<{ counts: Counts; of: string }> {
  const counts: Counts = new Map();
  for await (const row of exportedColumns(folder, files, ["cat_source", "cat_license"], onFile))
    add(counts, row.cat_source ?? "unknown", row.cat_license, 1);
  const of = counts.size > 0 ? "rows" : "trajectories";
  const said = new Set(counts.keys()); // the audit may say less than all: trajectories with a secret are left out of it
  for (const [source, licences] of Object.entries(sources ?? {}))
    for (const [licence, count] of Object.entries(licences)) if (!said.has(nameOf(source, licence))) add(counts, source, licence, count);
  return { counts, of };
}

/** Every source of the exported rows names a licence that allows publishing it beside the others. */
export const licence: Gate = async (input) => {
  const { counts, of } = await licencesOf(input);
  const sorted = [...counts].sort(([a], [b]) => (a < b ? -1 : 1));
  const untold = counts.size === 0 && input.files.some(({ path }) => path.endsWith(".parquet"));
  return {
    looked: sorted.map(([name, { count }]) => `${name} (${count} ${of})`).join(", ") || "nothing that names a source",
    findings: [
      ...(untold ? [{ subject: "sources", what: "neither the rows nor stage 6's account say where they come from" }] : []),
      ...sorted.flatMap(([subject, { licence: own, count }]) => {
        const trouble = licenceTrouble(own);
        return trouble === null ? [] : [{ subject, what: `${count} ${of}: ${trouble}` }];
      }),
    ],
    mend: "name the licence of the input with generate.licence and import again, or leave the source out; or approve it once you have read its terms",
  };
};
