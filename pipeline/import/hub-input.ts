import { auditAccountPath, auditFolder } from "../../schemas/audit.ts";
import { Fault } from "../../schemas/fault.ts";
import { hubPathText, parseHubPath, readingHub } from "../adapters/hub-file.ts";
import { sha256 } from "../store/digest.ts";

/** A file on the hub as import plans it. */
export interface HubPart {
  readonly path: string;
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly problem: null;
}

/** One run per line, packed or not. */
const isLines = (path: string): boolean => /\.(?:jsonl|ndjson)(?:\.gz|\.zst)?$/i.test(path);

/**
 * The Parquet files of a dataset on the hub, or, where it has none, those with a JSON text per line, as parts to be read where they lie:
 * many datasets hold the same rows as both. Their digests are what the hub lists, so that nothing is fetched to plan; the commit is fixed
 * here, so that a dataset that changes meanwhile is not read half and half.
 */
export async function hubParts(input: string): Promise<HubPart[]> {
  const { repo, revision, path } = parseHubPath(input);
  const hub = await readingHub();
  const commit = await hub.commitOf(repo, revision);
  if (commit === null)
    throw new Fault(
      "INPUT_MISSING",
      "stop",
      `there is no dataset ${repo} at revision ${revision} on ${hub.address} that may be read; check the name, or set HF_TOKEN if it is private`,
    );
  const inside = (name: string): boolean => path === "" || name === path || name.startsWith(`${path}/`);
  const files = (await hub.files(repo, commit)).filter((file) => inside(file.path));
  const isOurs = files.some((file) => file.path === auditAccountPath); // of a dataset of ours the samples are not even opened
  const inTables = files.filter((file) => file.path.endsWith(".parquet") && (!isOurs || file.path.startsWith(`${auditFolder}/`)));
  const tables = inTables.length > 0 || isOurs ? inTables : files.filter((file) => isLines(file.path));
  if (tables.length === 0)
    throw new Fault(
      "INPUT_MISSING",
      "stop",
      `${input} has no Parquet or JSONL file (${files.length} others${files.length === 0 ? "" : `, such as ${files[0]?.path}`}); name a folder that has, or the branch refs/convert/parquet as @refs%2Fconvert%2Fparquet, or download the files and import the folder`,
    );
  return tables.map((file) => ({
    path: hubPathText({ repo, revision: commit, path: file.path }),
    name: `${repo}/${file.path}`,
    bytes: file.bytes,
    sha256: file.sha256 ?? sha256(file.git),
    problem: null,
  }));
}
