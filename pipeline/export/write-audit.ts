import { join } from "node:path";
import { AuditAccount, auditAccountPath, auditColumns, auditFolder } from "../../schemas/audit.ts";
import type { Row as Columns } from "../../schemas/columns.ts";
import { type AuditRecord, type AuditSide, type AuditSizes, auditRow, auditSides } from "../../stages/export/audit.ts";
import { writeParquetShards } from "../adapters/parquet-writer.ts";
import { valueHits } from "../secrets/hits.ts";
import { assertNoSecretText } from "../secrets/scan-files.ts";
import { writeTextAtomically } from "../store/atomic.ts";
import { fileDigest } from "../store/lines.ts";
import { jsonOf, readTextIfThere } from "../store/run-folder.ts";
import { catgenVersion } from "../version.ts";
import { type AuditRequest, type ExportRequest, stopExportIfAsked } from "./request.ts";
import { isWhole, linkOrCopy } from "./reuse.ts";

const megabyte = 1_000_000;

/** Types of the secrets in a row, looked for as the gate before publishing does, and in the texts behind the JSON. */
function secretsIn({ trajectory, parts }: AuditRecord, row: Columns, { params, ports }: ExportRequest): string[] {
  const types = new Set<string>();
  for (const value of [row, trajectory, parts.memory?.outcome])
    for (const { type } of valueHits(value, { secrets: true, personal: [], own: ports.own ?? [] }, "")) types.add(type);
  return [...types].filter((type) => !params.export.allowSecretTypes.includes(type)).sort();
}

type AuditFiles = Pick<AuditAccount, "files" | "leftOut">;

const sizesOf = ({ files, leftOut }: AuditFiles): AuditSizes => {
  const rowsOf = (side: AuditSide): number =>
    files.reduce((sum, { path, rows }) => sum + (path.startsWith(`${auditFolder}/${side}-`) ? rows : 0), 0);
  return { rows: { kept: rowsOf("kept"), rejected: rowsOf("rejected") }, leftOut };
};

/** Writes the trajectories that travel with the dataset, and the account of them; null: the recipe wants none, or nobody lends them. */
export async function writeAudit(request: ExportRequest): Promise<AuditSizes | null> {
  const { audit, params } = request;
  if (audit === undefined || params.export.audit === "none") return null;
  const written = (await takenFiles(request, audit.key)) ?? (await writeFiles(request, audit));
  await writeAccount(request, audit, written);
  return sizesOf(written);
}

/** The files of an earlier export that were made of the same; null: there is none, or one of them is not whole. */
async function takenFiles({ earlier, folder }: ExportRequest, key: string): Promise<AuditFiles | null> {
  for (const { folder: from } of earlier ?? []) {
    const text = await readTextIfThere(join(from, auditAccountPath));
    const account = text === null ? null : (AuditAccount.safeParse(jsonOf(text)).data ?? null);
    if (account === null || account.key !== key || !(await isWhole(from, account))) continue;
    for (const { path } of account.files) await linkOrCopy(join(from, path), join(folder, path));
    return account;
  }
  return null;
}

async function writeFiles(request: ExportRequest, audit: AuditRequest): Promise<AuditFiles> {
  const { params, folder } = request;
  const { rowGroupMegabytes, shardMegabytes } = params.export;
  const options = { rowGroupBytes: rowGroupMegabytes * megabyte, shardBytes: shardMegabytes * megabyte };
  const leftOut: Record<string, number> = {};
  const files: AuditAccount["files"] = [];
  for (const side of params.export.audit === "all" ? auditSides : (["kept"] as const)) {
    const source = rowsOf(request, audit, side, leftOut);
    const first = await source.next(); // without rows there is no file, so that nothing loads as an empty split
    if (first.done === true) continue;
    const written = await writeParquetShards(join(folder, auditFolder), side, auditColumns, led(first.value, source), options);
    for (const { name, rows } of written.shards)
      files.push({ path: `${auditFolder}/${name}`, ...(await fileDigest(join(folder, auditFolder, name))), rows });
  }
  return { files, leftOut };
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
    stopExportIfAsked(request.signal);
    if (record.kept !== (side === "kept")) continue;
    if (record.withheld !== null) {
      leftOut[record.withheld] = (leftOut[record.withheld] ?? 0) + 1;
      continue;
    }
    const row = auditRow(record);
    const [secret] = secretsIn(record, row, request);
    if (secret === undefined) yield row;
    else leftOut[secret] = (leftOut[secret] ?? 0) + 1;
  }
}

async function writeAccount(
  { params, folder, ports }: ExportRequest,
  { recipe, steps, key }: AuditRequest,
  { files, leftOut }: AuditFiles,
): Promise<void> {
  const account: AuditAccount = { format: "catgen.audit/1", catgen: catgenVersion(), recipe, steps, key, files, leftOut };
  const text = `${JSON.stringify(account, null, 1)}\n`;
  assertNoSecretText([{ path: auditAccountPath, text }], params.export.allowSecretTypes, ports.own ?? []);
  await writeTextAtomically(join(folder, auditAccountPath), text);
}
