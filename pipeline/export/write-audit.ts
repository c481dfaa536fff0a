import { join } from "node:path";
import { type AuditAccount, type AuditStep, auditAccountPath, auditColumns, auditFolder } from "../../schemas/audit.ts";
import type { Row as Columns } from "../../schemas/columns.ts";
import type { KeyMaterial } from "../../schemas/manifest.ts";
import type { Recipe } from "../../schemas/recipe.ts";
import { type AuditRecord, type AuditSide, type AuditSizes, auditRow, auditSides } from "../../stages/export/audit.ts";
import { writeParquetShards } from "../adapters/parquet-writer.ts";
import { valueHits } from "../secrets/hits.ts";
import { assertNoSecretText } from "../secrets/scan-files.ts";
import { writeTextAtomically } from "../store/atomic.ts";
import { fileDigest } from "../store/lines.ts";
import { catgenVersion } from "../version.ts";
import type { ExportRequest } from "./request.ts";

/** What stage 6 is lent to write the audit with. */
export interface AuditRequest {
  /** All trajectories in the order of the rows; read once per side. */
  readonly records: () => AsyncIterable<AuditRecord>;
  /** The recipe that goes with it, and what shaped the keys of the rows by it. */
  readonly recipe: Recipe;
  readonly steps: Readonly<Record<AuditStep, KeyMaterial>>;
}

const megabyte = 1_000_000;

/** Types of the secrets in a row, looked for as the gate before publishing does, and in the texts behind the JSON. */
function secretsIn({ trajectory, parts }: AuditRecord, row: Columns, { params, ports }: ExportRequest): string[] {
  const types = new Set<string>();
  for (const value of [row, trajectory, parts.memory?.outcome])
    for (const { type } of valueHits(value, { secrets: true, personal: [], own: ports.own ?? [] }, "")) types.add(type);
  return [...types].filter((type) => !params.export.allowSecretTypes.includes(type)).sort();
}

/** Writes the trajectories that travel with the dataset, and the account of them; null: the recipe wants none, or nobody lends them. */
export async function writeAudit(request: ExportRequest): Promise<AuditSizes | null> {
  const { params, folder, signal, audit } = request;
  if (audit === undefined || params.export.audit === "none") return null;
  const { rowGroupMegabytes, shardMegabytes } = params.export;
  const options = { rowGroupBytes: rowGroupMegabytes * megabyte, shardBytes: shardMegabytes * megabyte };
  const rows: Record<AuditSide, number> = { kept: 0, rejected: 0 };
  const leftOut: Record<string, number> = {};
  const files: AuditAccount["files"] = [];
  for (const side of params.export.audit === "all" ? auditSides : (["kept"] as const)) {
    const source = rowsOf(request, audit, side, leftOut);
    const first = await source.next(); // without rows there is no file, so that nothing loads as an empty split
    if (first.done === true) continue;
    const written = await writeParquetShards(join(folder, auditFolder), side, auditColumns, led(first.value, source), options);
    rows[side] = written.rows;
    for (const { name, rows: count } of written.shards) {
      signal?.throwIfAborted();
      files.push({ path: `${auditFolder}/${name}`, ...(await fileDigest(join(folder, auditFolder, name))), rows: count });
    }
  }
  await writeAccount(request, audit, files, leftOut);
  return { rows, leftOut };
}

async function* led<T>(first: T, rest: AsyncIterable<T>): AsyncGenerator<T> {
  yield first;
  yield* rest;
}

async function* rowsOf(
  request: ExportRequest,
  audit: AuditRequest,
  side: AuditSide,
  leftOut: Record<string, number>,
): AsyncGenerator<Columns> {
  for await (const record of audit.records()) {
    request.signal?.throwIfAborted();
    if (record.kept !== (side === "kept")) continue;
    const row = auditRow(record);
    const [secret] = secretsIn(record, row, request);
    if (secret === undefined) yield row;
    else leftOut[secret] = (leftOut[secret] ?? 0) + 1;
  }
}

async function writeAccount(
  { params, folder, ports }: ExportRequest,
  { recipe, steps }: AuditRequest,
  files: AuditAccount["files"],
  leftOut: Record<string, number>,
): Promise<void> {
  const account = { format: "catgen.audit/1", catgen: catgenVersion(), recipe, steps, files, leftOut };
  const text = `${JSON.stringify(account, null, 1)}\n`;
  assertNoSecretText([{ path: auditAccountPath, text }], params.export.allowSecretTypes, ports.own ?? []);
  await writeTextAtomically(join(folder, auditAccountPath), text);
}
