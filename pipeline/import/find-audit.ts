import { stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { AuditAccount, auditAccountPath, auditFolder } from "../../schemas/audit.ts";
import { Fault } from "../../schemas/fault.ts";
import { hubPathText, isHubPath, parseHubPath, readingHub } from "../adapters/hub-file.ts";
import { jsonOf, readTextIfThere } from "../store/run-folder.ts";

/** The audit of a dataset of ours, found under an input. */
export interface FoundAudit {
  /** The input as it was given. */
  readonly input: string;
  readonly account: AuditAccount;
  /** Where a file that the account names can be read. */
  pathOf(name: string): string;
}

interface Present {
  readonly bytes: number;
  /** null: it has to be read to be known. */
  readonly sha256: string | null;
}

function parsed(text: string, where: string): AuditAccount {
  const value = jsonOf(text);
  const found = AuditAccount.safeParse(value);
  if (found.success) return found.data;
  const { format, catgen } = (value ?? {}) as { readonly format?: unknown; readonly catgen?: unknown };
  const other = typeof format === "string" && format !== "catgen.audit/1";
  throw new Fault(
    "DATA_ERRORS",
    "stop",
    other
      ? `${where} is of format ${format.slice(0, 40)}, written by catgen ${String(catgen).slice(0, 40)}, and this version reads catgen.audit/1; pull it with that version`
      : `${where} is no whole account of an audit (${found.error.issues[0]?.path.join(".")} ${found.error.issues[0]?.message}); download the dataset again`,
  );
}

/** Every file that the account names must be there, in the size it states. */
function requireWhole({ files }: AuditAccount, present: ReadonlyMap<string, Present>, input: string): void {
  const lost = files.filter(({ path }) => !present.has(path));
  const wrong = files.filter(({ path, bytes, sha256 }) => {
    const there = present.get(path);
    return there !== undefined && (there.bytes !== bytes || (there.sha256 ?? sha256) !== sha256);
  });
  const [first] = [...lost, ...wrong];
  if (first === undefined) return;
  const what = [
    ...(lost.length === 0 ? [] : [`${lost.length} are missing`]),
    ...(wrong.length === 0 ? [] : [`${wrong.length} are not those that were published`]),
  ].join(" and ");
  throw new Fault(
    "INPUT_MISSING",
    "stop",
    `the audit of ${input} is not whole: of its ${files.length} files ${what}, the first: ${first.path}; download the dataset again, all of ${auditFolder}/`,
  );
}

async function localAudit(input: string): Promise<FoundAudit | null> {
  const folder = resolve(input);
  const top = basename(folder) === auditFolder ? dirname(folder) : folder;
  const path = join(top, auditAccountPath);
  const text = await readTextIfThere(path);
  if (text === null) return null;
  const account = parsed(text, path);
  const present = new Map<string, Present>();
  for (const { path: name } of account.files) {
    const found = await stat(join(top, name)).catch(() => null);
    if (found?.isFile() === true) present.set(name, { bytes: found.size, sha256: null });
  }
  requireWhole(account, present, input);
  return { input, account, pathOf: (name) => join(top, name) };
}

async function hubAudit(input: string): Promise<FoundAudit | null> {
  const { repo, revision, path } = parseHubPath(input);
  if (path !== "" && path !== auditFolder) return null;
  const hub = await readingHub();
  const commit = await hub.commitOf(repo, revision);
  if (commit === null) return null; // importing says so
  const files = new Map((await hub.files(repo, commit)).map((file) => [file.path, file]));
  if (!files.has(auditAccountPath)) return null;
  const bytes = await hub.read(repo, commit, auditAccountPath);
  const account = parsed(Buffer.from(bytes).toString("utf8"), hubPathText({ repo, revision: commit, path: auditAccountPath }));
  requireWhole(account, files, input);
  return { input, account, pathOf: (name) => hubPathText({ repo, revision: commit, path: name }) };
}

/** The audits among the inputs. */
export async function findAudits(inputs: readonly string[]): Promise<FoundAudit[]> {
  const found: FoundAudit[] = [];
  for (const input of inputs) {
    const audit = isHubPath(input) ? await hubAudit(input) : await localAudit(input);
    if (audit !== null) found.push(audit);
  }
  return found;
}
